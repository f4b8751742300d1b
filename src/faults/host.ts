// How things fail: the host and who may ask it. Each message says what happened, where, and what to do.
import { fault } from './fault.ts'

export const HOST_FAULTS = {
  key_missing: fault(404, (d: { id: string }) => `There is no key ${d.id}.`),
  unauthenticated: fault(401, (_: object) => 'This needs a key: Authorization: Bearer onbook_…'),
  forbidden: fault(403, (d: { scope: string }) => `This key lacks the scope ${d.scope}.`),
  secret_not_granted: fault(
    403,
    (d: { secret: string }) =>
      `The message asks for the secret ${d.secret}. A key that is limited to workspaces sends no secrets of its own: publish a prelude in the workspace, and let the policy grant it the secret.`,
  ),
  workspace_membership_required: fault(403, (d: { workspaceId: string }) => `This key is not a member of workspace ${d.workspaceId}.`),
  capability_not_provided: fault(501, (d: { capability: string }) => `This host does not provide ${d.capability}.`),
  validation_error: fault(400, (d: { problem: string; maxRunIds?: number }) => `${d.problem}.`),
  path_unversioned: fault(400, (d: { path: string; versioned: string }) => `${d.path} has no version. Ask for ${d.versioned}.`),
  body_too_large: fault(413, (_: object) => 'The body is larger than this route takes. Send less.'),
  media_type_unsupported: fault(415, (_: object) => 'A body is JSON here: send it with Content-Type: application/json.'),
  internal_error: fault(500, (_: object) => 'Something went wrong here. The host has written down what.'),
  route_missing: fault(404, (d: { method: string; path: string }) => `There is no ${d.method} ${d.path}.`),
  precondition_failed: fault(412, (d: { problem: string }) => `${d.problem}.`),
  idempotency_key_mismatch: fault(409, (d: { key: string }) => `Idempotency-Key ${d.key} was used for another request.`),
  host_unknown: fault(421, (d: { host: string }) => `This host is not called "${d.host}".`),
  rate_limited: fault(429, (d: { scope: 'key' | 'address'; limit: number; retryAfterMs: number; retryAfterSeconds: number }) =>
    d.scope === 'key'
      ? `This key has asked more than ${d.limit} times within a minute. Wait ${d.retryAfterSeconds} s.`
      : `There were more than ${d.limit} failed attempts from this address within a minute. Wait ${d.retryAfterSeconds} s; a valid key works meanwhile.`,
  ),
  questions_busy: fault(
    429,
    (d: { waiting: number; retryAfterMs: number }) =>
      `This tenant has ${d.waiting} long questions waiting (diff, replay, blame, prefix, regression, export), and may have no more. Wait for an answer, then ask again.`,
  ),
  runs_busy: fault(
    429,
    (d: { open: number; retryAfterMs: number }) =>
      `This tenant has ${d.open} open runs, and may have no more (limits.runsPerTenant). Wait until some have ended, or cancel some, then try again.`,
  ),
  forks_busy: fault(
    429,
    (d: { waiting: number; retryAfterMs: number }) =>
      `This tenant has ${d.waiting} replays waiting, and may have no more. Wait until one of them has ended, then fork again.`,
  ),
  streams_exhausted: fault(
    429,
    (d: { scope: 'host' | 'tenant'; limit: number; retryAfterMs: number }) =>
      `${d.scope === 'host' ? 'This host' : 'This tenant'} has ${d.limit} event streams open, and may have no more. Close one, or try again later.`,
  ),
  request_slow: fault(408, (d: { ms: number }) => `The request did not arrive within ${d.ms} ms. Send it again.`),
  login_token_invalid: fault(401, (_: object) => 'This login link was used before, or is too old. Make another with "onbook keys login".'),
  bind_refused: fault(400, (d: { address: string; problem: string }) => `The host was not bound to ${d.address}: ${d.problem}.`),
  host_refused: fault(502, (d: { where: string; code: string; message: string }) => `The host at ${d.where} refuses: ${d.message}`),
  host_absent: fault(
    404,
    (d: { where: string; reason: string }) =>
      `No host answers at ${d.where}: ${d.reason}. Start one with "onbook serve", or name it with --url.`,
  ),
  host_silent: fault(
    504,
    (d: { where: string; seconds: number }) =>
      `The host at ${d.where} did not answer within ${d.seconds} s. It may be busy or hang: read its log, wait longer with --host-timeout <seconds>, or stop the host and start it again with "onbook serve".`,
  ),
  origin_foreign: fault(403, (d: { origin: string }) => `Pages of ${d.origin} may not talk to this host.`),
  label_protected: fault(403, (d: { problem: string }) => `${d.problem}.`),
  label_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
} as const
