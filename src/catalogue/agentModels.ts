import { objectAt, textAt } from "../contract/json/json.ts"

/** A variable of Claude Code's for a model, and the model that it asks for at a gateway without it (2.1.332). */
interface AgentModel {
  readonly variable: string
  readonly own: string
  /** Words of the ids to take in its place, best first. */
  readonly families: ReadonlyArray<string>
  /** False for a model that it asks for only when the person chooses it. */
  readonly isDefault: boolean
}

export const agentModels: ReadonlyArray<AgentModel> = [
  {
    variable: "ANTHROPIC_DEFAULT_OPUS_MODEL",
    own: "claude-opus-4-7",
    families: ["opus", "sonnet", "haiku"],
    isDefault: true
  },
  {
    variable: "ANTHROPIC_DEFAULT_SONNET_MODEL",
    own: "claude-sonnet-4-6",
    families: ["sonnet", "opus", "haiku"],
    isDefault: false
  },
  {
    variable: "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    own: "claude-haiku-4-5-20251001",
    families: ["haiku", "sonnet", "opus"],
    isDefault: true
  }
]

/**
 * The settings of Claude Code, with the variables of models that they lack: a person's next best model for each one that
 * the client would ask for and the person may not use. The same object if nothing is to be added.
 *
 * @param usable the ids of the text models that the person may use, in the gateway's order
 * @param isUsable true for an id that the person may use, one of a wildcard's too
 */
export const withAgentModels = (
  settings: object,
  usable: ReadonlyArray<string>,
  isUsable: (id: string) => boolean
): object => {
  const given = objectAt(settings, "env") ?? {}
  const added = agentModels.flatMap(({ families, own, variable }) => {
    if (given[variable] !== undefined || isUsable(own)) return []
    const next = nextBest(usable, families)
    return next === undefined ? [] : [[variable, next] as const]
  })
  return added.length === 0 ? settings : { ...settings, env: { ...Object.fromEntries(added), ...given } }
}

/** The newest of the first family that there is, else the first model. */
const nextBest = (usable: ReadonlyArray<string>, families: ReadonlyArray<string>): string | undefined => {
  for (const family of families) {
    const [newest] = usable.filter((id) => id.includes(family)).toSorted((one, other) => compare(other, one))
    if (newest !== undefined) return newest
  }
  return usable[0]
}

/** Orders ids by the numbers of their versions. */
const compare = (one: string, other: string): number => {
  const [mine, theirs] = [versionOf(one), versionOf(other)]
  for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
    const difference = (mine[at] ?? 0) - (theirs[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Dates are no part of a version. */
const versionOf = (id: string): ReadonlyArray<number> => (id.match(/\d+/g) ?? []).filter(isShort).map(Number)
const isShort = (digits: string): boolean => digits.length < 5

/** The models that settings of Claude Code name, with their path; not the client's own short names. */
export const namedModels = (settings: object): ReadonlyArray<readonly [path: string, model: string]> => {
  const env = objectAt(settings, "env") ?? {}
  const named = [
    ["model", textAt(settings, "model")] as const,
    ...Object.entries(env).flatMap(([name, value]) =>
      /^ANTHROPIC_(DEFAULT_[A-Z]+_MODEL|MODEL|SMALL_FAST_MODEL)$/.test(name) && typeof value === "string"
        ? [[`env.${name}`, value] as const]
        : []
    )
  ]
  return named.flatMap(([path, model]) => {
    const id = model?.replace(/\[1m\]$/, "") ?? ""
    return id === "" || shortNames.has(id) ? [] : [[path, id] as const]
  })
}

const shortNames: ReadonlySet<string> = new Set(["default", "best", "fable", "opus", "opusplan", "sonnet", "haiku"])
