// The list of all rules, in the order of a report: is it readable, does it parse, is it valid, is it good.
import type { LayoutRule, Rule, RuleHead } from './rule.ts'
import { agentValid } from './rules/agent-valid/rule.ts'
import { ambiguousScalar } from './rules/ambiguous-scalar/rule.ts'
import { deadOverride } from './rules/dead-override/rule.ts'
import { disableComment } from './rules/disable-comment/rule.ts'
import { exampleMissing } from './rules/example-missing/rule.ts'
import { examplesValidate } from './rules/examples-validate/rule.ts'
import { legacyTools } from './rules/legacy-tools/rule.ts'
import { maxPromptLength } from './rules/max-prompt-length/rule.ts'
import { noUndefinedVariables } from './rules/no-undefined-variables/rule.ts'
import { packIdentity } from './rules/pack-identity/rule.ts'
import { packSchema } from './rules/pack-schema/rule.ts'
import { packYaml } from './rules/pack-yaml/rule.ts'
import { policyMisplaced } from './rules/policy-misplaced/rule.ts'
import { policyNames } from './rules/policy-names/rule.ts'
import { policyShadowed } from './rules/policy-shadowed/rule.ts'
import { policyValid } from './rules/policy-valid/rule.ts'
import { preludeValid } from './rules/prelude-valid/rule.ts'
import { publishedChanged } from './rules/published-changed/rule.ts'
import { refResolves } from './rules/ref-resolves/rule.ts'
import { refUnpinned } from './rules/ref-unpinned/rule.ts'
import { requiredSections } from './rules/required-sections/rule.ts'
import { roleValid } from './rules/role-valid/rule.ts'
import { schemaRefsValid } from './rules/schema-refs-valid/rule.ts'
import { structuredInterpolation } from './rules/structured-interpolation/rule.ts'
import { templateSyntax } from './rules/template-syntax/rule.ts'
import { toolsValid } from './rules/tools-valid/rule.ts'
import { unknownKey } from './rules/unknown-key/rule.ts'
import { unsupportedSyntax } from './rules/unsupported-syntax/rule.ts'
import { unusedDescriptor } from './rules/unused-descriptor/rule.ts'
import { unusedVariable } from './rules/unused-variable/rule.ts'
import { vagueInstruction } from './rules/vague-instruction/rule.ts'
import { variableDeclaration } from './rules/variable-declaration/rule.ts'
import { variableType } from './rules/variable-type/rule.ts'
import { versionBump } from './rules/version-bump/rule.ts'
import { volatileBeforeStable } from './rules/volatile-before-stable/rule.ts'
import { workflowAgent } from './rules/workflow-agent/rule.ts'
import { workflowRole } from './rules/workflow-role/rule.ts'
import { workflowValid } from './rules/workflow-valid/rule.ts'
import { workspaceFile } from './rules/workspace-file/rule.ts'
import { workspaceIndex } from './rules/workspace-index/rule.ts'

/** The only rules that make sense for a file that is not a pack. */
export const FORM_RULES: readonly Rule[] = [packYaml, packSchema]

export const PACK_RULES: readonly Rule[] = [
  workspaceFile,
  ...FORM_RULES,
  unknownKey,
  ambiguousScalar,
  packIdentity,
  templateSyntax,
  unsupportedSyntax,
  noUndefinedVariables,
  variableDeclaration,
  variableType,
  unusedVariable,
  structuredInterpolation,
  schemaRefsValid,
  examplesValidate,
  exampleMissing,
  requiredSections,
  maxPromptLength,
  versionBump,
  publishedChanged,
  volatileBeforeStable,
  vagueInstruction,
  disableComment,
]

export const LAYOUT_RULES: readonly LayoutRule[] = [
  workspaceIndex,
  preludeValid,
  roleValid,
  toolsValid,
  legacyTools,
  unusedDescriptor,
  agentValid,
  deadOverride,
  workflowValid,
  workflowAgent,
  workflowRole,
  refResolves,
  refUnpinned,
  policyValid,
  policyMisplaced,
  policyShadowed,
  policyNames,
]

export const RULES: readonly RuleHead[] = [...PACK_RULES, ...LAYOUT_RULES]

export const ruleNamed = (name: string): RuleHead | undefined => RULES.find(rule => rule.name === name)
