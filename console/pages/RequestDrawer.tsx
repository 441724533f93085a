import type { ComponentChildren } from "preact"
import { callsText } from "../../src/contract/records/Service.ts"
import { outcomeOf } from "../../src/requests/outcome.ts"
import type { RequestDetail, RequestView } from "../../src/requests/RequestView.ts"
import { whyFailed } from "../../src/requests/whyFailed.ts"
import { isNotFound } from "../client.ts"
import { number, span, usd, utc } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { adaptedOf, inputOf } from "../outcome.ts"
import { Button } from "../parts/Button.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { Outcome } from "../parts/Outcome.tsx"
import { SmallTable } from "../parts/Table.tsx"
import { Badge, Copyable, Cost, Fact, Facts, Faint, None, Quiet, Section, Took } from "../parts/text.tsx"
import { Waterfall, WaterfallLegend } from "../parts/Waterfall.tsx"
import { callsOf } from "../requestCalls.ts"
import { requestById } from "../requestSource.ts"
import { hrefOf } from "../router.ts"
import { PageLink } from "../parts/PageLink.tsx"
import { words } from "../words/words.ts"
import { keyNameOf } from "./requestColumns.tsx"
import { RequestCost } from "./RequestCost.tsx"
import { RequestGuardrails } from "./RequestGuardrails.tsx"
import { RequestLog } from "./RequestLog.tsx"
import { RequestTools } from "./RequestTools.tsx"
import { RequestThread } from "./RequestThread.tsx"
import { Transcript } from "./Transcript.tsx"

const text = words.request

const Moment = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={words.times.ago(span(Date.now() - Date.parse(at)))}>
    {utc(Date.parse(at))}
  </time>
)

const Why = ({ request }: { readonly request: RequestView }) => {
  const why = whyFailed(request)
  if (why === undefined) return null
  const outcome = outcomeOf(request)
  const tone = outcome === "refused" ? "warn" : outcome === "hang_up" ? "" : "bad"
  return (
    <Section>
      <div class={`note ${tone}`}>
        <b>{why.what}</b> {why.so}
        {request.reason !== null && <p class="hint">{request.reason}</p>}
      </div>
    </Section>
  )
}

/** A note is a kind, or a kind and its detail: `finish:eos`. */
const noteMeans = (note: string): string => text.noteMeans[note.split(":")[0] ?? ""] ?? ""

const Named = ({
  rows,
  title
}: {
  readonly title: string
  readonly rows: ReadonlyArray<readonly [name: string, what: ComponentChildren]>
}) =>
  rows.length === 0 ? null : (
    <Section title={title}>
      <SmallTable
        isPlain
        label={title}
        heads={[["", "", 200], [""]]}
        rows={rows.map(([name, what]) => [<code key="name">{name}</code>, <Quiet key="what">{what}</Quiet>])}
      />
    </Section>
  )

const Figures = ({ request }: { readonly request: RequestView }) => (
  <Section>
    <Facts isBig>
      <Fact name={text.duration}>
        <Took ms={request.duration_ms} />
      </Fact>
      <Fact name={text.first}>{request.first_byte_ms === 0 ? <None /> : <Took ms={request.first_byte_ms} />}</Fact>
      <Fact name={text.tokens}>
        <span class="num">
          {number(inputOf(request))}
          <Faint> / </Faint>
          {number(request.output_tokens)}
        </span>
      </Fact>
      <Fact name={text.cost}>
        <Cost of={request.cost_usd} />
      </Fact>
    </Facts>
  </Section>
)

const Route = ({ request }: { readonly request: RequestView }) => {
  const { upstream, upstream_key, upstream_model } = request
  if (upstream === null) return <Faint>{text.noUpstream}</Faint>
  return (
    <>
      {upstream} <code class="quiet">{upstream_model}</code>
      {upstream_key !== undefined && <code class="quiet"> {upstream_key}</code>}
    </>
  )
}

const About = ({ request }: { readonly request: RequestView }) => {
  const { session } = useApp()
  const { above_hold_usd, client, end_user, fallback, price_source, served_model, settled_at, tags, task } = request
  const { calls = {}, inference_geo, service_tier, speed, upstream_cost_usd } = request
  const served = [
    ...(service_tier ? [text.tier(service_tier)] : []),
    ...(speed ? [text.speed(speed)] : []),
    ...(inference_geo ? [text.place(inference_geo)] : [])
  ]
  const key = keyNameOf(request)
  return (
    <Section>
      <Facts>
        <Fact name={text.request} isWide>
          <Copyable text={request.request_id} />
        </Fact>
        <Fact name={text.received} isWide>
          <Moment at={request.time} />
        </Fact>
        <Fact name={text.key} isWide>
          {request.account} / {session.kind === "operator" ? <a href={hrefOf("keys", request.key)}>{key}</a> : key}
          {request.key_secret !== undefined && <Faint>{text.keySecret[request.key_secret]}</Faint>}
        </Fact>
        <Fact name={text.endpoint} isWide>
          <code>{request.endpoint}</code>
          {request.stream && text.streamed}
        </Fact>
        {served_model !== null && (
          <Fact name={text.servedBy} isWide>
            <code>{served_model}</code>
            {fallback !== null && <Faint>{text.fallbackWhy[fallback]}</Faint>}
          </Fact>
        )}
        <Fact name={text.answeredBy} isWide>
          <Route request={request} />
        </Fact>
        {served.length > 0 && (
          <Fact name={text.servedAs} isWide>
            {served.join(", ")}
          </Fact>
        )}
        {Object.keys(calls).length > 0 && (
          <Fact name={text.providerCalls} isWide>
            {callsText(calls)}
          </Fact>
        )}
        {price_source !== null && (
          <Fact name={text.priceFrom} isWide>
            {price_source.from}
            {price_source.as_of !== null && text.priceOf(price_source.as_of)}
            {price_source.name !== null && <code class="quiet"> {price_source.name}</code>}
          </Fact>
        )}
        {task !== null && (
          <Fact name={text.task} isWide>
            <a href={hrefOf("tasks", task)}>
              <code>{task}</code>
            </a>
          </Fact>
        )}
        {task !== null && settled_at !== null && (
          <Fact name={text.settledAt} isWide>
            <Moment at={settled_at} />
          </Fact>
        )}
        {upstream_cost_usd !== undefined && (
          <Fact name={text.upstreamCost} isWide>
            {usd(upstream_cost_usd, 9)}
          </Fact>
        )}
        {above_hold_usd !== undefined && (
          <Fact name={text.aboveHold} isWide>
            {usd(above_hold_usd, 9)}
          </Fact>
        )}
        <Fact name={text.client} isWide>
          {client ?? <Faint>{text.unknownClient}</Faint>}
          {end_user !== null && (
            <>
              <Faint>{text.endUser}</Faint>
              <code>{end_user}</code>
            </>
          )}
          {tags.map((tag) => (
            <span key={tag}>
              {" "}
              <Badge>{tag}</Badge>
            </span>
          ))}
        </Fact>
      </Facts>
    </Section>
  )
}

/** All that is known of a request. @param detail with its bodies, once they are loaded */
const Sections = ({
  detail,
  request
}: {
  readonly request: RequestView
  readonly detail: RequestDetail | undefined
}) => {
  const { copy } = useApp()
  const calls = callsOf(request)
  return (
    <>
      <Section>
        <div class="actions">
          <PageLink isButton page="playground" query={{ from: request.request_id }}>
            {text.repeat}
          </PageLink>
          <Button onClick={() => copy(location.origin + hrefOf("requests", request.request_id))}>
            {words.copy.link}
          </Button>
        </div>
      </Section>
      <Why request={request} />
      <Figures request={request} />
      <About request={request} />
      {calls.length > 0 && (
        <section>
          <div class="caption">
            <h2>{text.attempts}</h2>
            <WaterfallLegend />
          </div>
          <Waterfall calls={calls} totalMs={request.duration_ms} />
        </section>
      )}
      <RequestGuardrails guardrails={request.guardrails} />
      {detail?.tools !== undefined && <RequestTools calls={detail.tools} />}
      <Named title={text.adapted} rows={adaptedOf(request).map((name) => [name, text.adaptedWhy])} />
      <Named
        title={text.notes}
        rows={[
          ...request.notes.map((note) => [note, noteMeans(note)] as const),
          ...(request.price_gap ? [[request.price_gap, text.gapMeans] as const] : [])
        ]}
      />
      {detail !== undefined && <RequestThread request={detail} />}
      {detail !== undefined && detail.bodies !== null && (
        <Section title={text.said}>
          <Transcript bodies={detail.bodies} />
        </Section>
      )}
      {detail !== undefined && <RequestCost request={detail} />}
      <RequestLog request={request} />
    </>
  )
}

const Gone = ({ error }: { readonly error: unknown }) => (
  <Section>
    <p class="note">{isNotFound(error) ? text.gone : error instanceof Error ? error.message : ""}</p>
  </Section>
)

/** One request. @param known its row, if the list has it */
export const RequestDrawer = ({
  id,
  known,
  ...moves
}: {
  readonly id: string
  readonly known: RequestView | undefined
  readonly close: () => void
  readonly step: (by: 1 | -1) => void
}) => {
  const app = useApp()
  const { failure, value: detail } = useData(() => requestById(app, id), { by: [id], mayCome: true })
  const request = detail ?? known
  const title =
    request === undefined ? (
      <span>{id}</span>
    ) : (
      <>
        <Outcome of={request} />
        <span>{request.model ?? request.family}</span>
      </>
    )
  return (
    <Drawer id={id} title={title} {...moves}>
      {failure !== undefined ? (
        <Gone error={failure.error} />
      ) : (
        request !== undefined && <Sections request={request} detail={detail} />
      )}
    </Drawer>
  )
}
