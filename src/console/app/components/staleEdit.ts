import { Refused } from "../client.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { words } from "../words/words.ts"
import { fact, facts } from "./bits.ts"

/** How often a record was changed, where it says so. */
const versionOf = (record: object | undefined): number | undefined =>
  record !== undefined && "version" in record && typeof record.version === "number" ? record.version : undefined

/**
 * Keeps one from writing over what somebody else has changed: the stored state is shown, and saving again is a decision.
 * @param tell the parts of the record that matter, in words
 */
export const staleEdit = <A extends object>(
  first: A | undefined,
  tell: (now: A) => ReadonlyArray<readonly [name: string, value: Child]>
) => {
  let version = versionOf(first)
  const element = h("div", { class: "stale", role: "alert", hidden: true })
  const save = async (write: (version: { readonly version?: number }) => Promise<void>): Promise<void> => {
    try {
      await write(version === undefined ? {} : { version })
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409) throw error
      const body: { readonly current?: A; readonly error?: { readonly current?: A } } | null = JSON.parse(
        JSON.stringify(error.body)
      )
      const now = body?.current ?? body?.error?.current
      if (now === undefined) throw error
      version = versionOf(now)
      fill(
        element,
        h("b", {}, words.keyForm.stale),
        facts(false, ...tell(now).map(([name, value]) => fact(name, value, true))),
        h("p", { class: "hint" }, words.keyForm.staleThen)
      )
      element.hidden = false
      throw error
    }
  }
  return { element, save }
}
