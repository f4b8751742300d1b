// Models that answer from a file of this machine: --script and --recordings.
import { statSync } from 'node:fs'
import { recordedChat } from '../adapters/chat/recorded-chat.ts'
import { scriptedChat } from '../adapters/chat/scripted-chat.ts'
import { folderFiles } from '../adapters/folder/folder-files.ts'
import { Fault } from '../errors.ts'
import type { ChatModel } from '../ports.ts'
import { readText } from './record-folder.ts'
import type { Settings } from './settings.ts'

export async function scriptedFrom({ script }: Settings): Promise<ChatModel> {
  if (typeof script !== 'string') throw new Fault('provider_unready', { provider: 'scripted', option: '--script FILE' })
  return scriptedChat(script, await readText(script))
}

export function recordedFrom({ recordings }: Settings): ChatModel {
  if (typeof recordings !== 'string') throw new Fault('provider_unready', { provider: 'recorded', option: '--recordings FOLDER' })
  if (statSync(recordings, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Fault('usage_invalid', { problem: `--recordings must be a folder, and ${recordings} is not one` })
  return recordedChat(folderFiles(recordings))
}
