// Collects every route of a host from the framework itself, so that no list has to name new routes.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

export type Schema = Readonly<Record<string, unknown>>

export interface HostRoute {
  readonly method: string
  /** With its parameters: `/v1/prompts/:templateId`. */
  readonly url: string
  readonly params?: Schema
  readonly querystring?: Schema
  readonly body?: Schema
}

/** The app, and its routes: the list is complete when the host listens. */
export function withRoutes(make: () => FastifyInstance): { readonly app: FastifyInstance; readonly routes: readonly HostRoute[] } {
  const routes: HostRoute[] = []
  const onMade = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, schema = {} }: RouteOptions) => {
      const { params, querystring, body } = schema as Pick<HostRoute, 'params' | 'querystring' | 'body'>
      const parts = { ...(params && { params }), ...(querystring && { querystring }), ...(body && { body }) }
      for (const one of [method].flat()) routes.push({ method: one, url, ...parts })
    })
  }
  subscribe('fastify.initialization', onMade)
  try {
    return { app: make(), routes }
  } finally {
    unsubscribe('fastify.initialization', onMade)
  }
}

/** One may say what it is made of. */
const PARAM = /(?<!:):([A-Za-z]+)(?:\([^)]*\))?|\*/g

/** The path of a route, with these in the place of its parameters. A doubled colon is a colon. */
export const pathOf = (url: string, params: Readonly<Record<string, string>>): string =>
  url.replaceAll(PARAM, (whole, name: string = whole) => params[name] ?? whole).replaceAll('::', ':')

/** The names of a route's parameters; `*` for the rest of the path. */
export const paramNames = (url: string): readonly string[] => [...url.matchAll(PARAM)].map(([whole, name = whole]) => name)
