/** A tool of a server that the caller's request names. */
export interface NamedTool {
  /** The caller's name of the server. */
  readonly label: string
  /** The server's name of the tool. */
  readonly tool: string
}

/** The longest name that every upstream takes. */
const longestName = 64
const hashLength = 8

/**
 * The model's names for tools of servers, in order: `label__tool`. One that is too long, or that another tool or a
 * function of the caller has, ends in a part of a hash instead. A name never depends on the order, so that it stays the
 * same between turns, and with it the upstream's prompt cache.
 *
 * @param taken the names of the caller's own tools
 */
export const serverToolNames = (tools: ReadonlyArray<NamedTool>, taken: ReadonlySet<string>): ReadonlyArray<string> => {
  const plain = tools.map(plainName)
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isFree = (name: string) => !taken.has(name) && !counts.has(name)
  return plain.map((name, index) => {
    const tool = tools[index]
    const isPlain = name.length <= longestName && counts.get(name) === 1 && !taken.has(name)
    return isPlain || tool === undefined ? name : hashedName(name, tool, isFree)
  })
}

/** Some upstreams want a letter or `_` at the start. */
const plainName = ({ label, tool }: NamedTool): string => {
  const name = `${label}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_")
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

const hashedName = (name: string, { label, tool }: NamedTool, isFree: (name: string) => boolean): string => {
  const hash = new Bun.CryptoHasher("sha256").update(`${label}/${tool}`).digest("hex")
  const start = name.slice(0, longestName - hashLength - 1)
  const candidates = Array.from({ length: hash.length / hashLength }, (_, n) => {
    return `${start}_${hash.slice(n * hashLength, (n + 1) * hashLength)}`
  })
  // A caller may have a function of that very name.
  return candidates.find(isFree) ?? `${start}_${hash.slice(0, hashLength)}`
}
