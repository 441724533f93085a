import type { Group, Leaf } from "./leaf.ts"

/** A top-level command. Imported on demand, so that commands don't load each other's dependencies. */
export interface Entry {
  readonly name: string
  /** The word that the name abbreviates, which works too. */
  readonly word?: string
  /** One line. */
  readonly what: string
  readonly load: () => Promise<Group | Leaf>
}
