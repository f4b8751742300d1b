// Pins the type of each field of an OpenWOP document, so that a schema cannot lose a type unnoticed.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
const ids = new Map<string, string>()
for (const path of readdirSync('schemas/openwop')) {
  const schema = JSON.parse(readFileSync(`schemas/openwop/${path}`, 'utf8'))
  ids.set(path.replace('.schema.json', ''), schema.$id)
  ajv.addSchema(schema)
}

/** By type: the file, and the fields below. A dot goes into a property, `[]` into the items, `{}` into the values. */
const FIELDS: Readonly<Record<string, string>> = {
  string: `
    prompt-kind
    prompt-ref/oneOf/0
    prompt-ref/oneOf/1 templateId libraryId version
    prompt-template templateId version kind text name description tags[] modelHints.modelClass modelHints.envelopeType
    prompt-template meta.author meta.createdAt meta.updatedAt meta.source meta.packName meta.packVersion
    prompt-template/$defs/PromptVariable name type source extractPath description
    prompt-pack-manifest name version kind description author license homepage repository keywords[] engines.openwop dependencies{}
    prompt-pack-manifest signing.publicKeyRef signing.signatureRef signing.method
    agent-manifest agentId persona modelClass systemPrompt systemPromptRef promptLibraryRef toolAllowlist[] requiresCapabilities[]
    agent-manifest evalSuiteRef label description
    workflow-definition id name version description type status tenantId scopeId slug createdAt updatedAt
    workflow-definition/$defs/WorkflowNode id typeId name credentialsRef outputRole notes groupId artifactType cardType
    workflow-definition/$defs/AgentRef agentId name modelClass memoryRef version sourceManifestId
    workflow-definition/$defs/WorkflowEdge id sourceNodeId sourceOutput targetNodeId targetInput label triggerRule
    workflow-definition/$defs/EdgeCondition type left expression
    workflow-definition/$defs/WorkflowTrigger id type name description nodeId eventType
    workflow-definition/$defs/WorkflowVariable name type description format
    workflow-definition/$defs/NodeGroup id name color nodeIds[]
    workflow-definition/$defs/WorkflowSettings logLevel
    capabilities protocolVersion supportedEnvelopes[]
    capabilities/$defs/families fixtures[]
    capabilities/$defs/prompts templateKinds[] variableSources[] observability library.id library.renderEndpoint
    capabilities/$defs/secrets scopes[] resolution
    run-event eventId runId nodeId type timestamp engineVersion causationId
    run-event-payloads/$defs/runStarted workflowId
    run-event-payloads/$defs/runFailed failedNodeId
    run-event-payloads/$defs/nodeStarted nodeId typeId
    run-event-payloads/$defs/nodeCompleted nodeId
    run-event-payloads/$defs/nodeFailed nodeId
    run-event-payloads/$defs/logAppended level message code nodeId
    run-event-payloads/$defs/replayDiverged sourceRunId originalEventId divergenceKind divergencePoint
    run-event-payloads/$defs/agentPromptResolved nodeId kind agentId causationHostId
    run-event-payloads/$defs/chainEntry layer source reason
    run-event-payloads/$defs/promptComposed nodeId refs[] kind hash variableHashes{} composed systemPrompt userPrompt contentTrust causationHostId
    error error message
    render-request contentTrust workspaceId
    render-response hash refs[] variableHashes{} composed contentTrust
    prompt-list nextCursor`,
  'string or null': 'run-event-payloads/$defs/agentPromptResolved resolved',
  'string or object': `
    prompt-ref
    render-request ref`,
  boolean: `
    prompt-template/$defs/PromptVariable required
    agent-manifest memoryShape.scratchpad memoryShape.conversation memoryShape.longTerm
    workflow-definition isActive
    workflow-definition/$defs/WorkflowNode disabled outputSensitivity{}
    workflow-definition/$defs/WorkflowTrigger enabled
    workflow-definition/$defs/WorkflowVariable required sensitive
    workflow-definition/$defs/NodeGroup collapsed
    capabilities/$defs/prompts supported endpointsSupported packsSupported mutableLibrary agentBindings
    capabilities/$defs/secrets supported
    capabilities/$defs/agents manifestRuntime.supported manifestRuntime.handoffValidation
    run-event-payloads/$defs/chainEntry applied`,
  number: `
    prompt-template modelHints.temperature
    agent-manifest confidence.defaultThreshold
    workflow-definition/$defs/WorkflowNode position.x position.y`,
  integer: `
    prompt-template modelHints.maxTokens
    capabilities schemaVersions{} limits.clarificationRounds limits.schemaRounds limits.envelopesPerTurn
    capabilities/$defs/prompts maxTemplateBytes library.maxRenderRequestBytes
    workflow-definition/$defs/WorkflowSettings timeout maxRetries maxLoopbackIterations
    run-event sequence schemaVersion
    run-event-payloads/$defs/nodeStarted attempt
    run-event-payloads/$defs/replayDiverged atSequence`,
  array: `
    prompt-template variables tags
    prompt-pack-manifest keywords prompts
    agent-manifest toolAllowlist requiresCapabilities
    workflow-definition nodes edges triggers variables groups acceptsInheritedArtifacts
    workflow-definition/$defs/NodeGroup nodeIds
    capabilities supportedEnvelopes
    capabilities/$defs/families fixtures
    capabilities/$defs/prompts templateKinds variableSources
    capabilities/$defs/secrets scopes
    run-event-payloads/$defs/agentPromptResolved chain
    run-event-payloads/$defs/promptComposed refs
    render-response refs
    prompt-list items`,
  object: `
    prompt-ref/oneOf/1
    prompt-ref/oneOf/1 variableOverrides
    prompt-template
    prompt-template variables[] modelHints meta
    prompt-pack-manifest
    prompt-pack-manifest engines dependencies prompts[] signing
    agent-manifest
    agent-manifest promptOverrides memoryShape confidence handoff
    workflow-definition
    workflow-definition nodes[] edges[] defaults defaults.promptRefs channels configurableSchema metadata settings
    workflow-definition/$defs/WorkflowNode config position inputs inputs{} settings agent envelopeContract outputSensitivity
    workflow-definition/$defs/WorkflowEdge condition
    workflow-definition/$defs/WorkflowTrigger config
    capabilities
    capabilities schemaVersions limits capabilities
    capabilities/$defs/families prompts secrets agents
    capabilities/$defs/prompts library defaults
    capabilities/$defs/agents manifestRuntime
    run-event
    run-event-payloads/$defs/_typeIndex
    run-event-payloads/$defs/runStarted
    run-event-payloads/$defs/runCompleted
    run-event-payloads/$defs/runFailed
    run-event-payloads/$defs/nodeStarted
    run-event-payloads/$defs/nodeCompleted
    run-event-payloads/$defs/nodeFailed
    run-event-payloads/$defs/logAppended
    run-event-payloads/$defs/logAppended fields
    run-event-payloads/$defs/replayDiverged
    run-event-payloads/$defs/agentPromptResolved
    run-event-payloads/$defs/agentPromptResolved chain[]
    run-event-payloads/$defs/promptComposed
    run-event-payloads/$defs/promptComposed variableHashes variableBindings
    error
    error details
    render-request
    render-request variables
    render-response
    render-response variableHashes
    prompt-list
    prompt-list items[]`,
  anything: `
    prompt-template/$defs/PromptVariable defaultValue
    workflow-definition/$defs/WorkflowVariable defaultValue
    workflow-definition/$defs/EdgeCondition right
    run-event payload
    run-event-payloads/$defs/runCompleted outputs
    run-event-payloads/$defs/runFailed error
    run-event-payloads/$defs/nodeCompleted outputs
    run-event-payloads/$defs/nodeFailed error`,
}

/** One or more values of each type. Whether a value of the right type passes depends on further rules, which the tables of schemas.test.ts cover. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [0, 1],
  number: [0.5],
  string: ['', 'prompt:a@1.0.0'],
  array: [[], ['prompt:a']],
  object: [{}, { templateId: 'a' }],
}

const places = Object.entries(FIELDS).flatMap(([type, lines]) =>
  lines
    .trim()
    .split('\n')
    .map(line => line.trim().split(' '))
    .flatMap(([root, ...fields]) =>
      fields.length === 0 ? [[type, root!] as const] : fields.map(field => [type, `${root} ${field}`] as const),
    ),
)

it.each(places)('%s: %s', (type, place) => {
  const check = ajv.getSchema(addressOf(place))!
  expect(check, 'the field is there').toBeTypeOf('function')
  const allowed = type === 'anything' ? Object.keys(VALUES) : type === 'number' ? ['number', 'integer'] : type.split(' or ')
  for (const [other, values] of Object.entries(VALUES)) {
    const accepted = values.filter(value => check(value))
    if (!allowed.includes(other)) expect(accepted).toEqual([])
    else if (type === 'anything') expect(accepted).toEqual(values)
  }
})

function addressOf(place: string): string {
  const [root, field] = place.split(' ')
  const [file, ...pointer] = root!.split('/')
  const steps = (field?.split('.') ?? []).flatMap(step => [
    'properties',
    ...step.replace('[]', ' items').replace('{}', ' additionalProperties').split(' '),
  ])
  const path = [...pointer, ...steps]
  return `${ids.get(file!)}${path.length === 0 ? '' : `#/${path.join('/')}`}`
}
