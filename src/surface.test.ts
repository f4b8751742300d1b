import { describe, expect, it } from 'vitest'
import * as core from './core/index.ts'
import * as embed from './index.ts'
import * as testing from './testing/index.ts'

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
        "collectObjects",
        "eraseObject",
        "exportStream",
        "fileKeyring",
        "findPack",
        "folderFiles",
        "keepSealing",
        "loadPack",
        "memoryStore",
        "openWorkspace",
        "readAnchors",
        "readPublicKeys",
        "recordedModel",
        "recordingModel",
        "retireVersion",
        "scratchTables",
        "scriptedModel",
        "sealStore",
        "sealStreams",
        "signatureChecker",
        "sqliteStore",
        "summarize",
        "summarizeCases",
        "testPacks",
        "verifyRecord",
        "workerValidator",
        "writeAnchor",
      ]
    `)
  })

  it('onbook/core', () => {
    expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
      [
        "LAYERS",
        "RULES",
        "bindValues",
        "bindVariables",
        "boundAgent",
        "canonicalJson",
        "changesBetween",
        "collectSchemas",
        "compareJson",
        "compilePack",
        "decodeEvent",
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
        "readCheckpoint",
        "readConfig",
        "readEvent",
        "readPack",
        "readPromptRef",
        "readReply",
        "refText",
        "referencesIn",
        "renderPrompt",
        "renderTemplate",
        "resolveKind",
        "resolveNode",
        "semanticDigest",
        "statementBytes",
        "templateDigest",
        "textDiff",
      ]
    `)
  })

  it('onbook/testing', () => {
    expect(Object.keys(testing).sort()).toMatchInlineSnapshot(`
      [
        "CONTRACT_PROJECTIONS",
        "storeContract",
        "writeUntilKilled",
      ]
    `)
  })
})
