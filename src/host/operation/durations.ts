// A Prometheus histogram in plain numbers: updated with every request, and printed on demand.
interface Series {
  /** The count of each bucket, not cumulative. The last one is for values above all bounds. */
  readonly counts: number[]
  sum: number
}

export interface Durations {
  /** @param labels in printed form: `method="GET",status="200"`. The caller must keep the number of combinations small. */
  add(labels: string, seconds: number): void
  print(): string
}

/** @param bounds of the buckets, ascending */
export function durationsOf(name: string, help: string, bounds: readonly number[]): Durations {
  const all = new Map<string, Series>()
  const begin = (labels: string): Series => {
    const series = { counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }
    all.set(labels, series)
    return series
  }

  const printSeries = (labels: string, { counts, sum }: Series): readonly string[] => {
    let total = 0
    const buckets = [...bounds, '+Inf'].map((bound, index) => {
      total += counts[index]!
      return `${name}_bucket{le="${bound}",${labels}} ${total}`
    })
    return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`]
  }

  return {
    add(labels, seconds) {
      const series = all.get(labels) ?? begin(labels)
      let bucket = 0
      while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
      series.counts[bucket]!++
      series.sum += seconds
    },
    print: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...all].flatMap(([labels, series]) => printSeries(labels, series)),
        '',
      ].join('\n'),
  }
}
