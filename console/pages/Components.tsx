import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useMemo, useRef } from "preact/hooks"
import { gatewayUrl } from "../address.ts"
import type { Plotted } from "../parts/Plot.tsx"
import { count, duration, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { Button, IconButton } from "../parts/Button.tsx"
import { Chart } from "../parts/Chart.tsx"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { FilterBar } from "../parts/FilterBar.tsx"
import { Histogram } from "../parts/Histogram.tsx"
import { Menu } from "../parts/Menu.tsx"
import { Rows } from "../parts/Rows.tsx"
import type { RowsHandle } from "../parts/Rows.tsx"
import { Empty, Failed, NoMatch, Part, Skeleton } from "../parts/states.tsx"
import { Shape, Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { SmallTable, Table } from "../parts/Table.tsx"
import {
  Badge,
  Copyable,
  Fact,
  Facts,
  Measure,
  Meter,
  None,
  PageHead,
  Quiet,
  Section,
  Took,
  Usd,
  When
} from "../parts/text.tsx"
import { Waterfall, WaterfallLegend } from "../parts/Waterfall.tsx"
import { firstRequest } from "../snippets.ts"
import { Fields, Stale } from "./ComponentForms.tsx"

const tones: ReadonlyArray<Tone> = ["well", "bad", "warn", "running", "waiting", "off"]
const hour = 3_600_000
const wave = (at: number) => Math.round(20 + 14 * Math.sin(at / 4))
const things = Array.from({ length: 40 }, (_, at) => ({ id: `thing_${at}`, count: wave(at) }))
const columns = [
  { head: "Thing", cell: ({ id }: (typeof things)[number]) => id },
  { head: "Count", look: "right", width: 90, cell: ({ count }: (typeof things)[number]) => number(count) }
]

const Actions = ({ children }: { readonly children: ComponentChildren }) => <div class="actions">{children}</div>

/** All components side by side, for the console's development. */
export const Components = () => {
  const { toast } = useApp()
  const shown = useSignal<"dialog" | "drawer" | undefined>(undefined)
  const close = () => (shown.value = undefined)
  return (
    <>
      <div class="page components">
        <PageHead title="Components" note="each of them" />
        <Section title="Status">
          <Actions>
            {tones.map((tone) => (
              <Status key={tone} tone={tone} code={200}>
                {tone}
              </Status>
            ))}
            <Shape tone="well" />
          </Actions>
        </Section>
        <Section title="Buttons">
          <Actions>
            <Button onClick={() => toast("Plain")}>Plain</Button>
            <Button look="primary" onClick={() => toast("Primary")}>
              Primary
            </Button>
            <Button look="danger" onClick={() => toast("Danger")}>
              Danger
            </Button>
            <Button disabled onClick={() => {}}>
              Off
            </Button>
            <IconButton name="close" label="Close" onClick={() => {}} />
            <Menu
              label="More"
              items={[
                { word: "Rename", act: () => toast("Renamed") },
                { word: "Delete", act: () => toast("Deleted"), isDangerous: true }
              ]}
            />
          </Actions>
        </Section>
        <Fields />
        <Section title="Facts">
          <Facts isBig>
            <Fact name="Duration">
              <Took ms={1_234} />
            </Fact>
            <Fact name="Tokens">
              <Measure of={count(96_400_000)} />
            </Fact>
            <Fact name="Cost">
              <Usd of={0.12} /> <Usd of={0} />
            </Fact>
            <Fact name="Property">
              <Badge>adapted 1</Badge> <None /> <Quiet>quiet</Quiet>
            </Fact>
            <Fact name="Since" isWide>
              <When at={Date.now() - hour} suffix="ago" /> <Copyable text="thing_1" />
            </Fact>
            <Fact name="Meter">
              <Meter used={90} most={100} label="90 of 100" />
            </Fact>
          </Facts>
        </Section>
        <Section title="Table">
          <SmallTable
            heads={[["Name"], ["Count", "right"]]}
            rows={[
              ["one", number(1)],
              ["two", number(2_000)]
            ]}
          />
          <Table label="Things" rows={things.slice(0, 2)} columns={columns} keyOf={({ id }) => id} />
        </Section>
        <Charts />
        <Section title="Code">
          <CodeBlock snippets={firstRequest(gatewayUrl)} />
        </Section>
        <Section title="Dialog">
          <Button onClick={() => (shown.value = "dialog")}>Open</Button>
        </Section>
        <Section title="Filter bar">
          <FilterBar
            label="Search things"
            example="name:a*  or a word"
            choices={[
              { name: "state", any: "Any state", values: ["open", "closed"] },
              { name: "kind", any: "Any kind", values: [["a", "One"]] }
            ]}
          />
        </Section>
        <Section title="Drawer">
          <Button onClick={() => (shown.value = "drawer")}>Open the drawer</Button>
        </Section>
        <Section title="Stale edit">
          <Stale />
        </Section>
        <Section title="States">
          <Skeleton rows={3} delayMs={0} />
          <Empty title="Nothing yet">What would be here.</Empty>
          <NoMatch said={["No thing matches ", "name:zzz", "."]} clear={() => toast("Cleared")} />
          <Failed
            what="This"
            failure={{ error: new Error("why"), tries: 1, inSeconds: 4 }}
            again={() => toast("Again")}
          />
          <Part of={{ value: "loaded", failure: undefined, again: async () => {} }} what="A part">
            {(value) => <p>{value}</p>}
          </Part>
        </Section>
        <Long />
      </div>
      {shown.value === "dialog" && (
        <Dialog title="A dialog" close={close} act={{ word: "Do it", run: async () => toast("Done") }}>
          <p>It says what happens.</p>
        </Dialog>
      )}
      {shown.value === "drawer" && (
        <Drawer
          id="thing"
          close={close}
          step={(by) => toast(by === 1 ? "Next" : "Previous")}
          title={
            <>
              <Status tone="well" code={200}>
                finished
              </Status>
              <span>A thing</span>
            </>
          }
        >
          <Section>
            <Facts isBig>
              <Fact name="Duration">
                <Measure of={duration(1_234)} />
              </Fact>
              <Fact name="Cost">$0.00012</Fact>
            </Facts>
          </Section>
          <Section title="Notes">
            <p class="note warn">
              <b>What is the matter.</b> What to do.
            </p>
          </Section>
        </Drawer>
      )}
    </>
  )
}

const calls = [
  { upstream: "one", from: 0, sent: 0, began: 120, to: 120, failure: "503", isCut: false },
  { upstream: "two", from: 320, sent: 500, began: 700, to: 1_600, failure: "The stream broke off", isCut: true },
  { upstream: "three", from: 1_620, sent: 1_620, began: 1_700, to: 1_700, failure: "429 too many", isCut: false },
  { upstream: "four", from: 1_740, sent: 1_740, began: 1_800, to: 1_900, failure: undefined, isCut: false }
]

const Charts = () => {
  const { toast } = useApp()
  const cursor = useSignal<number | undefined>(undefined)
  const { buckets, plot } = useMemo(() => {
    const times = Array.from({ length: 48 }, (_, at) => Math.floor(Date.now() / hour) * hour - (47 - at) * hour)
    const plot: Plotted = {
      kind: "bars",
      times,
      axis: (value) => number(value),
      series: [{ name: "some", colour: "s1", values: times.map((_, at) => wave(at)), tell: number }]
    }
    const bucketAt = (time: number, at: number) => ({
      time,
      well: wave(at),
      refused: at % 7 === 0 ? 3 : 0,
      failed: at % 11 === 0 ? 4 : 0
    })
    return { plot, buckets: times.map(bucketAt) }
  }, [])
  return (
    <>
      <Section title="Chart">
        <Chart cursor={cursor} title="Requests" note="per 1 h" plotted={plot} />
      </Section>
      <Section title="Histogram">
        <Histogram
          buckets={buckets}
          widthMs={hour}
          zoom={(from, to) => toast(`${new Date(from).toISOString()} – ${new Date(to).toISOString()}`)}
        />
      </Section>
      <Section title="Waterfall">
        <div class="caption">
          <WaterfallLegend />
        </div>
        <Waterfall calls={calls} totalMs={1_900} />
      </Section>
    </>
  )
}

/** A list that is longer than the page. */
const Long = () => {
  const { toast } = useApp()
  const rows = useRef<RowsHandle>(null)
  useShortcuts({ step: (by) => rows.current?.step(by) })
  return (
    <Section title="Rows">
      <Rows
        label="Many things"
        rows={things}
        columns={columns}
        keyOf={({ id }) => id}
        open={({ id }) => toast(id)}
        handle={rows}
      />
    </Section>
  )
}
