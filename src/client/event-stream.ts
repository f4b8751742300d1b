// Parses the WHATWG event stream format (HTML, section 9.2.6). The input may be split anywhere; the events are the same.
import { clientError } from './client-error.ts'

export interface ServerEvent {
  /** The last id that was sent, with this event or before it. */
  readonly id: string
  readonly type: string
  readonly data: string
}

export interface EventParser {
  push(bytes: Uint8Array): readonly ServerEvent[]
  /** The id to resume from. Events without data set it too. */
  lastId(): string
  /** The reconnection time that the host asks for; null when it sends none. */
  retryMs(): number | null
}

const MOST_CHARACTERS = 16 * 1024 * 1024

export function eventParser(after = ''): EventParser {
  // The parser removes the byte order mark itself: Node's decoder also removes a second one when the first is split between chunks.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let atStart = true
  let rest = ''
  let afterReturn = false
  let [id, type, lastId] = [after, '', after]
  let data: string[] = []
  let size = 0
  let retry: number | null = null

  function field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      data.push(value)
      size += value.length + 1
    } else if (name === 'event') type = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^[0-9]+$/.test(value)) retry = Number(value)
  }

  function dispatch(): readonly ServerEvent[] {
    const events = data.length === 0 ? [] : [{ id, type: type || 'message', data: data.join('\n') }]
    lastId = id
    data = []
    size = 0
    type = ''
    return events
  }

  return {
    push(bytes) {
      let text = decoder.decode(bytes, { stream: true })
      if (text === '') return []
      if (atStart && text[0] === '\uFEFF') text = text.slice(1)
      atStart = false
      if (afterReturn && text[0] === '\n') text = text.slice(1)
      afterReturn = text === '' ? false : text.endsWith('\r')
      const lines = (rest + text).split(/\r\n|\n|\r/)
      rest = lines.pop()!
      const events: ServerEvent[] = []
      for (const line of lines) {
        if (line === '') events.push(...dispatch())
        else field(line)
      }
      if (size + rest.length > MOST_CHARACTERS) throw clientError('event_too_long', `An event has more than ${MOST_CHARACTERS} characters.`)
      return events
    },
    lastId: () => lastId,
    retryMs: () => retry,
  }
}
