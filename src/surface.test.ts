import { describe, expect, it } from 'vitest'
import * as core from './core/index.ts'
import * as embed from './index.ts'

// What users can import. A name that goes breaks somebody; a name that comes is a promise.
describe('public surface', () => {
  it('onbook', () => {
    expect(Object.keys(embed).sort()).toMatchInlineSnapshot(`
      [
        "Fault",
        "activateVersion",
        "aiSdkModel",
        "bumpPack",
        "checkPacks",
        "findPack",
        "folderFiles",
        "loadPack",
        "openWorkspace",
        "recordedModel",
        "recordingModel",
        "retireVersion",
        "scriptedModel",
        "summarize",
        "summarizeCases",
        "testPacks",
        "workerValidator",
      ]
    `)
  })

  it('onbook/core', () => {
    expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
      [
        "RULES",
        "bindValues",
        "canonicalJson",
        "changesBetween",
        "collectSchemas",
        "compareJson",
        "compilePack",
        "digestBytes",
        "digestJson",
        "digestText",
        "findUses",
        "interpretQuestion",
        "isDigest",
        "lintPack",
        "messagesFor",
        "packFormat",
        "parseTemplate",
        "readConfig",
        "readPack",
        "readReply",
        "renderTemplate",
        "semanticDigest",
        "textDiff",
      ]
    `)
  })
})
