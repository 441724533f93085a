import { isModelFound } from "../../src/admin/modelText.ts"
import type { ModelRecord, UpstreamRecord } from "../../src/admin/UpstreamRecord.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Button } from "../parts/Button.tsx"
import { FilterBar } from "../parts/FilterBar.tsx"
import { Empty, NoMatch, Part } from "../parts/states.tsx"
import { Sideways, Table } from "../parts/Table.tsx"
import { Faint, PageHead } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { upstreamsOf } from "../upstreamSource.ts"
import type { Session } from "../session.ts"
import { withQuery } from "../router.ts"
import { words } from "../words/words.ts"
import { modelColumns } from "./modelColumns.tsx"
import { useModelTests } from "./modelTests.tsx"
import { UpstreamTable } from "./UpstreamTable.tsx"
import { modelKinds } from "../../src/contract/kinds.ts"

const text = words.models

const first = [["", "ANTHROPIC_API_KEY=sk-ant-… gateway serve"]] as const

/** Use is that of all accounts: a role of some of them is not told. */
const seesUse = ({ accounts = null }: Session): boolean => accounts === null

/** The served models with their use, prices and bounds, and their upstreams with their states. */
export const Models = () => {
  const app = useApp()
  const tests = useModelTests()
  const canTest = reaches(app.session, "adminWatch.testUpstream")
  const seesUpstreams = reaches(app.session, "adminOperations.upstreams")
  const { query } = app.route()
  const since = query.get("since") ?? "24h"
  const kind = query.get("kind") ?? ""
  const search = query.get("q") ?? ""
  const models = useData(
    () => app.client.admin((admin) => admin.adminOperations.models({ urlParams: { since } })).then(({ data }) => data),
    { by: [since], on: ["upstream", "configuration"] }
  )
  const upstreams = useData(() => upstreamsOf(app), { on: ["upstream", "configuration"] })
  const found = models.value?.filter((model) => (kind === "" || model.kind === kind) && isModelFound(search, model))
  return (
    <>
      <PageHead
        title={words.pages.models}
        note={
          models.value &&
          upstreams.value &&
          seesUpstreams &&
          text.counted(number(models.value.length), number(upstreams.value.length))
        }
      >
        <Button needs="adminWatch.testUpstream" onClick={() => tests.askAll(found ?? [])}>
          {text.testAll}
        </Button>
      </PageHead>
      <FilterBar
        label={text.search}
        example={text.searchExample}
        choices={[
          ...(seesUse(app.session)
            ? [
                {
                  name: "since",
                  any: text.since["24h"],
                  values: [
                    ["7d", text.since["7d"]],
                    ["30d", text.since["30d"]]
                  ] as const
                }
              ]
            : []),
          { name: "kind", any: text.anyKind, values: modelKinds }
        ]}
      />
      <div class="page">
        <Part of={models} what={words.pages.models}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={text.emptyTitle} snippets={first}>
                {text.empty}
              </Empty>
            ) : (
              <Served all={all} found={found ?? []} upstreams={upstreams.value ?? []} tests={tests} />
            )
          }
        </Part>
        {seesUpstreams && (
          <>
            <div class="caption below">
              <h2>{text.upstreams}</h2>
              <Faint>{text.upstreamsNote}</Faint>
            </div>
            <Part of={upstreams} what={text.upstreams}>
              {(rows) => <UpstreamTable rows={rows} isWhole test={canTest ? tests.ofUpstream : undefined} />}
            </Part>
          </>
        )}
      </div>
      {tests.dialog}
    </>
  )
}

const Served = ({
  all,
  found,
  tests,
  upstreams
}: {
  readonly all: ReadonlyArray<ModelRecord>
  readonly found: ReadonlyArray<ModelRecord>
  readonly upstreams: ReadonlyArray<UpstreamRecord>
  readonly tests: ReturnType<typeof useModelTests>
}) => {
  const app = useApp()
  if (found.length === 0) {
    return <NoMatch said={[text.noMatch]} clear={() => app.go(withQuery(app.route(), { q: "", kind: "" }))} />
  }
  return (
    <>
      <Sideways label={words.pages.models}>
        <Table
          label={words.pages.models}
          look="stacks"
          rows={found}
          keyOf={({ id }) => id}
          columns={modelColumns(
            upstreams,
            reaches(app.session, "adminWatch.testUpstream") ? tests.ofModel : undefined,
            seesUse(app.session)
          )}
        />
      </Sideways>
      <p class="hint rule">{text.takesNote}</p>
      {all.some(({ price }) => price === null) && <p class="hint">{text.unpricedNote}</p>}
    </>
  )
}
