import { descriptorPath, namedDescriptors, readCatalogFile } from '../../../tools/catalog.ts'
import { bytesOf, catalogsIn, isDescriptor, textsOf } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const unusedDescriptor: LayoutRule = {
  name: 'unused-descriptor',
  summary: 'Every descriptor is named by a catalog.',
  severity: 'info',

  *checkLayout(layout) {
    const catalogs = textsOf(layout, catalogsIn(layout.texts)).map(([path, text]) => readCatalogFile(path, bytesOf(text)))
    const used = new Set(catalogs.flatMap(read => (read.ok ? namedDescriptors(read.file).map(descriptorPath) : [])))
    for (const [file] of textsOf(layout, isDescriptor))
      if (!used.has(file)) yield { file, message: 'No catalog names this descriptor, so no model is shown it' }
  },
}
