// Compiles the request schema of a route on its first request. Compiling all of them up front takes most of the start time of a host.
import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'

type Validate = ((data: unknown) => unknown) & { errors?: unknown }

export function lazyValidators(): BuildCompilerFromPool {
  const build = AjvCompiler()
  return (externalSchemas, options) => {
    const compile = build(externalSchemas, options)
    return ((route: Parameters<typeof compile>[0]) => {
      let compiled: Validate | null = null
      const validate: Validate = data => {
        compiled ??= compile(route) as Validate
        const result = compiled(data)
        validate.errors = compiled.errors
        return result
      }
      return validate
    }) as typeof compile
  }
}
