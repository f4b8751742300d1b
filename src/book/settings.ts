// Settings of a book that runs in this process: options by their long names. The command line hands over its options, an application those of `onbook()`.

/** Untyped, since a command line may bring anything: each reader checks the settings that it uses. */
export type Settings = Readonly<Record<string, unknown>>
