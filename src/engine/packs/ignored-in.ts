// Finds the files of a folder that publishing leaves out. Reads the ignore files; core/workspace/ignore has the rules.
import { IGNORE_FILES, type IgnoreLayer, isIgnored, readIgnore } from '../../core/workspace/ignore.ts'
import { joinPath } from '../../core/workspace/path.ts'
import type { Files } from '../../ports.ts'

const MOST_BYTES = 1024 * 1024

/** Reads each ignore file once, when a path below its folder is first asked for. */
export function ignoredIn(files: Files): (path: string) => Promise<boolean> {
  const layers = new Map<string, Promise<IgnoreLayer>>()
  const layerOf = (folder: string): Promise<IgnoreLayer> => {
    const layer = layers.get(folder) ?? readLayer(files, folder)
    layers.set(folder, layer)
    return layer
  }
  return async path => {
    const above: IgnoreLayer[] = []
    let part = ''
    for (const name of path.split('/')) {
      above.push(await layerOf(part))
      part = joinPath(part, name)
      if (isIgnored(above, part, part !== path)) return true
    }
    return false
  }
}

async function readLayer(files: Files, folder: string): Promise<IgnoreLayer> {
  const texts = await Promise.all(IGNORE_FILES.map(name => files.readText(joinPath(folder, name), MOST_BYTES)))
  return { folder, rules: texts.flatMap(read => (read.ok ? readIgnore(read.text) : [])) }
}
