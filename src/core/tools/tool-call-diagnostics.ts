// The diagnostics for a line that looks like a tool call: a code, and a sentence for the model. They do not decide whether
// a call may run.

const SENTENCES = {
  'bad-args': '"args" must be there and be a JSON object; the line was not run.',
  'bad-value': 'The JSON is nested too deep, or holds half a surrogate pair or a number that is too large; the line was not run.',
  'bad-wrapper': '"tool_call" must be an object with "name", a text, and "args", an object; the line was not run.',
  'camel-wrapper': 'The wrapper is spelled "tool_call", not "toolCall"; the line was not run.',
  'duplicate-id': 'Another call of this response has the same id; the line was not run. Give every call an id of its own, or none.',
  'duplicate-key': 'A key stands twice in one JSON object; the line was not run.',
  'extra-key': 'The call has keys that mean nothing here; they were ignored.',
  fenced: 'A tool call inside a code fence is not run. Write the line outside of fences.',
  'ignored-params': 'The call has both "args" and "params"; "params" was ignored.',
  'near-miss':
    'The line speaks of tool_call and is no call. A call is one JSON object, alone on its line: {"tool_call":{"id":"…","name":"…","args":{…}}}.',
  'unknown-tool': 'There is no tool of this name here; the line was not run.',
  'use-args': 'Use "args", not "params"; the line was not run.',
} as const

export type DiagnosticCode = keyof typeof SENTENCES

export const DIAGNOSTIC_CODES = Object.keys(SENTENCES) as readonly DiagnosticCode[]

export const diagnosticText = (code: DiagnosticCode): string => SENTENCES[code]
