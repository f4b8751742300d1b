// GET /metrics: the metrics for Prometheus.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { principalOf } from '../access/access.ts'
import type { Metrics } from '../operation/metrics.ts'

const metricsAnswer = {
  200: { description: 'In the text format of Prometheus.', content: { 'text/plain': { schema: Type.String() } } },
}

export function metricsRoute(app: FastifyInstance, { contentType, print }: Metrics): void {
  app.get('/metrics', { schema: { operationId: 'getMetrics', response: metricsAnswer } }, async (request, reply) => {
    principalOf(request, 'metrics:read')
    return reply.type(contentType).send(await print())
  })
}
