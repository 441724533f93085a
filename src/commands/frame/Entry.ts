import type { Group, Leaf } from "./leaf.ts"

/** A command of the first level. Loaded when it is wanted: others would wait for it for nothing. */
export interface Entry {
  readonly name: string
  /** One line. */
  readonly what: string
  readonly load: () => Promise<Group | Leaf>
}
