// Schemas of requests, compiled when a route is first asked. Compiling all of them is most of the time that a host takes to start.
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
