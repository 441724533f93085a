import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App } from "../app.ts"
import { matches } from "../../src/contract/text/matches.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { mayActAs } from "../keyText.ts"
import { Empty, Part } from "../parts/states.tsx"
import { PageHead } from "../parts/text.tsx"
import { Play } from "../play/Play.tsx"
import type { Prepared } from "../play/Play.tsx"
import { toRepeat } from "../play/repeat.ts"
import { restore } from "../play/stored.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.playground

/** The key to begin with: one that may use the model. */
const firstKey = (keys: ReadonlyArray<KeyRecord>, model: string): string =>
  (keys.find(({ models }) => models.some((pattern) => matches(pattern, model))) ?? keys[0])?.id ?? ""

const prepare = async (app: App): Promise<Prepared> => {
  const keys = (await app.catalogue.keys()).filter((key) => mayActAs(app.session, key))
  const { query } = app.route()
  const repeated = await toRepeat(app, query.get("from"), query.get("task")).catch(() => undefined)
  return {
    keys: keys.map(({ account, id, name }) => [id, `${account} / ${name}`] as const),
    firstKey: firstKey(keys, query.get("model") ?? "sandbox-text"),
    repeated,
    stored: restore(app.session)
  }
}

/** Any model, or two, in any family: several turns, with a quote beforehand, and the same request as code. */
export const Playground = () => {
  const app = useApp()
  const prepared = useData(() => prepare(app))
  const isUsable = app.session.kind === "account" || prepared.value?.keys.length !== 0
  if (prepared.value !== undefined && isUsable) return <Play {...prepared.value} />
  return (
    <>
      <PageHead title={words.pages.playground} />
      <div class="page">
        <Part of={prepared} what={words.pages.playground}>
          {() => (
            <Empty
              title={text.noKey}
              actions={
                <a class="button primary" href={hrefOf("keys", undefined, { new: "" })}>
                  {text.makeKey}
                </a>
              }
            >
              {""}
            </Empty>
          )}
        </Part>
      </div>
    </>
  )
}
