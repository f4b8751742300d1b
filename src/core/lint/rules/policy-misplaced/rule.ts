import { POLICY_FILE } from '../../../gate/read-policy.ts'
import { isIgnored, readIgnore } from '../../../workspace/ignore.ts'
import { INDEX_FILE } from '../../../workspace/index-file.ts'
import { IGNORE_FILE } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const policyMisplaced: LayoutRule = {
  name: 'policy-misplaced',
  summary: 'No workspace carries an onbook.policy.yaml: there it is content, and allows nothing.',
  severity: 'warning',

  *checkLayout({ paths, texts }) {
    const rules = readIgnore(texts.get(IGNORE_FILE) ?? '')
    for (const file of paths) {
      const isPolicy = file === POLICY_FILE ? paths.has(INDEX_FILE) : file.endsWith(`/${POLICY_FILE}`)
      if (isPolicy && !isIgnored([{ folder: '', rules }], file, false))
        yield {
          file,
          message: 'This is published with the workspace, and allows nothing there: a host reads its policy where it is started',
          suggestion: `move it there, or name it in ${IGNORE_FILE}`,
        }
    }
  },
}
