import { INDEX_FILE } from '../../../workspace/index-file.ts'
import { legacyTools as toolsIn } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const legacyTools: LayoutRule = {
  name: 'legacy-tools',
  summary: 'Tools stand in tools/descriptors or tools/catalogs, not directly in tools/.',
  severity: 'warning',

  *checkLayout(layout) {
    const indexed = layout.paths.has(INDEX_FILE)
    for (const [file] of toolsIn(layout))
      yield {
        file,
        message: indexed
          ? `Nothing reads this file: there is ${INDEX_FILE}`
          : 'This tool is shown only as long as no catalog is named and there is no index',
        suggestion: 'move it to tools/descriptors and name it in a catalog',
      }
  },
}
