import type { Budget } from "./Budget.ts"

export type Schema = Readonly<Record<string, unknown>>

/** The longest chain of references. */
const mostHops = 40

/** Resolves schemas, each once: follows references and merges `allOf`. */
export class Resolver {
  readonly #root: Schema
  readonly #budget: Budget
  readonly #resolved = new WeakMap<object, Schema>()
  readonly #branches = new WeakMap<object, Schema>()

  constructor(root: Schema, budget: Budget) {
    this.#root = root
    this.#budget = budget
  }

  resolve(given: unknown, hops = 0): Schema {
    const schema = record(given)
    const cached = this.#resolved.get(schema)
    if (cached !== undefined) return cached
    const resolved = this.#fold(this.#follow(schema, hops), hops)
    this.#resolved.set(schema, resolved)
    return resolved
  }

  /** The first alternative of `anyOf` or `oneOf` that is not null, merged with the schema around it. */
  branch(schema: Schema): Schema | undefined {
    const cached = this.#branches.get(schema)
    if (cached !== undefined) return cached
    let chosen: Schema | undefined
    for (const one of [...list(schema["anyOf"]), ...list(schema["oneOf"])]) {
      if (!this.#budget.step()) return undefined
      const resolved = this.resolve(one)
      chosen ??= resolved
      if (resolved["type"] === "null") continue
      chosen = resolved
      break
    }
    if (chosen === undefined) return undefined
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
    const branch = this.#merge(rest, chosen)
    this.#branches.set(schema, branch)
    return branch
  }

  #follow(schema: Schema, hops: number): Schema {
    const reference = schema["$ref"]
    if (typeof reference !== "string" || hops >= mostHops) return schema
    const { $ref: _reference, ...rest } = schema
    return this.#merge(this.resolve(this.#at(reference), hops + 1), rest)
  }

  #fold(schema: Schema, hops: number): Schema {
    const all = list(schema["allOf"])
    if (all.length === 0 || hops >= mostHops) return schema
    const { allOf: _all, ...rest } = schema
    let folded: Schema = rest
    for (const one of all) {
      if (!this.#budget.step()) return folded
      folded = this.#merge(folded, this.resolve(one, hops + 1))
    }
    return folded
  }

  #at(reference: string): unknown {
    if (!reference.startsWith("#") || reference.length > longestReference) return {}
    let target: unknown = this.#root
    for (const step of reference.slice(1).split("/")) {
      if (step === "") continue
      target = record(target)[unescaped(step)]
    }
    return target
  }

  #merge(one: Schema, other: Schema): Schema {
    const properties = [record(one["properties"]), record(other["properties"])] as const
    const required = [list(one["required"]), list(other["required"])] as const
    const size = [...properties.map((some) => Object.keys(some).length), ...required.map(({ length }) => length)]
    if (!this.#budget.step(1 + size.reduce((sum, some) => sum + some, 0) / 10)) return {}
    return {
      ...one,
      ...other,
      ...("properties" in one || "properties" in other ? { properties: { ...properties[0], ...properties[1] } } : {}),
      ...("required" in one || "required" in other ? { required: [...new Set(required.flat())] } : {})
    }
  }
}

const longestReference = 1_000

const unescaped = (step: string): string => {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
  } catch {
    return step
  }
}

export const record = (value: unknown): Schema => (isRecord(value) ? value : {})
const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
