// Error codes of the host and of access to it. Each message says what happened, where, and what to do.
import { fault, worded } from './fault.ts'

export const HOST_FAULTS = {
  key_missing: fault(404, (d: { id: string }) => `There is no key ${d.id}. "onbook key list" lists them.`),
  unauthenticated: fault(401, (_: object) => 'This request needs a key. Send the header Authorization: Bearer onbook_…'),
  forbidden: fault(403, (d: { scope: string }) => `This key lacks the scope ${d.scope}. Use a key that has it.`),
  secret_not_granted: fault(
    403,
    (d: { secret: string }) =>
      `The message asks for the secret ${d.secret}. A key that is limited to workspaces cannot send secrets itself. Publish a prelude in the workspace, and grant it the secret in the policy.`,
  ),
  workspace_membership_required: fault(
    403,
    (d: { workspaceId: string }) => `This key is not a member of workspace ${d.workspaceId}. Use a key that names the workspace.`,
  ),
  capability_not_provided: fault(
    501,
    (d: { capability: string }) => `This host does not provide ${d.capability}. /.well-known/openwop lists its capabilities.`,
  ),
  validation_error: worded<{ problem: string; maxRunIds?: number }>(
    400,
    'The request does not match the schema of its route. The message names the field and what it must be.',
  ),
  path_unversioned: fault(400, (d: { path: string; versioned: string }) => `${d.path} has no version. Request ${d.versioned}.`),
  body_too_large: fault(413, (_: object) => 'The body is larger than this route accepts. Send a smaller one.'),
  media_type_unsupported: fault(415, (_: object) => 'The body must be JSON. Send it with Content-Type: application/json.'),
  internal_error: fault(500, (_: object) => 'The host failed unexpectedly. Its log has the details.'),
  route_missing: fault(
    404,
    (d: { method: string; path: string }) => `There is no route ${d.method} ${d.path}. /v1/openapi.json lists the routes.`,
  ),
  precondition_failed: worded(412, 'The resource has changed since the caller read it (If-Match). Read it again, then repeat the request.'),
  idempotency_key_mismatch: fault(
    409,
    (d: { key: string }) => `Idempotency-Key ${d.key} was used for another request. Use a new key for a new request.`,
  ),
  host_unknown: fault(
    421,
    (d: { host: string }) => `This host does not answer to the name "${d.host}". Allow it with "onbook host serve --allow-host".`,
  ),
  rate_limited: fault(429, (d: { scope: 'key' | 'address'; limit: number; retryAfterMs: number; retryAfterSeconds: number }) =>
    d.scope === 'key'
      ? `This key has sent more than ${d.limit} requests within a minute. Wait ${d.retryAfterSeconds} s.`
      : `This address has failed to sign in more than ${d.limit} times within a minute. Wait ${d.retryAfterSeconds} s; a valid key still works.`,
  ),
  questions_busy: fault(
    429,
    (d: { waiting: number; retryAfterMs: number }) =>
      `This tenant has ${d.waiting} long queries waiting (diff, replay, blame, prefix, regression, export), which is the limit. Wait for a result, then try again.`,
  ),
  runs_busy: fault(
    429,
    (d: { open: number; retryAfterMs: number }) =>
      `This tenant has ${d.open} open runs, which is the limit (limits.runsPerTenant). Wait until one ends, or cancel one, then try again.`,
  ),
  forks_busy: fault(
    429,
    (d: { waiting: number; retryAfterMs: number }) =>
      `This tenant has ${d.waiting} replays waiting, which is the limit. Wait until one ends, then fork again.`,
  ),
  streams_exhausted: fault(
    429,
    (d: { scope: 'host' | 'tenant'; limit: number; retryAfterMs: number }) =>
      `${d.scope === 'host' ? 'This host' : 'This tenant'} has ${d.limit} event streams open, which is the limit. Close one, or try again later.`,
  ),
  request_slow: fault(408, (d: { ms: number }) => `The request did not arrive within ${d.ms} ms. Send it again.`),
  login_token_invalid: fault(
    401,
    (_: object) => 'This login link was used before, or has expired. Create another with "onbook key login".',
  ),
  bind_refused: fault(400, (d: { address: string; problem: string }) => `The host does not listen on ${d.address}: ${d.problem}.`),
  host_refused: fault(
    502,
    (d: { where: string; code: string; message: string }) => `The host at ${d.where} refused the request: ${d.message}`,
  ),
  host_absent: fault(
    404,
    (d: { where: string; reason: string }) =>
      `No host answers at ${d.where}: ${d.reason}. Start one with "onbook host serve", or name it with --url.`,
  ),
  host_silent: fault(
    504,
    (d: { where: string; seconds: number }) =>
      `The host at ${d.where} did not answer within ${d.seconds} s. Read its log, wait longer with --host-timeout <seconds>, or restart it with "onbook host serve".`,
  ),
  host_running: fault(
    409,
    (d: { url: string; pid: number }) =>
      `A host already runs on this folder: ${d.url} (process ${d.pid}). Use it, or stop it first with "onbook host stop".`,
  ),
  host_not_started: fault(500, (d: { log: string }) => `The host did not start. Its log ${d.log} says why.`),
  host_not_stopped: fault(
    504,
    (d: { url: string; pid: number; seconds: number }) =>
      `The host at ${d.url} (process ${d.pid}) has not stopped within ${d.seconds} s. Wait longer with --timeout <seconds>, or end it at once with "onbook host stop --kill".`,
  ),
  origin_foreign: fault(
    403,
    (d: { origin: string }) => `This host does not accept requests from pages of ${d.origin}. Open its own address instead.`,
  ),
  label_protected: worded(403, 'The label is protected. Use a key with the scope labels:protect, or remove the protection.'),
  label_unknown: fault(
    404,
    (d: { templateId: string; label: string; meant: string | null }) =>
      `No prompt has a label ${d.label} yet. ${d.meant === null ? '' : `Did you mean ${d.meant}? `}A new label is created with --new: "onbook prompt label ${d.templateId} ${d.label} <version> --new".`,
  ),
  label_missing: worded(404, 'The template does not have this label. "onbook prompt label <template>" lists its labels.'),
} as const
