import type { ComponentChildren } from "preact"
import { boundsOf } from "../../src/admin/modelText.ts"
import type { ModelRecord, UpstreamRecord } from "../../src/admin/UpstreamRecord.ts"
import { pricesByPiece } from "../../src/contract/records/piecePrices.ts"
import { costText, usdText } from "../../src/contract/text/usdText.ts"
import { countText, number } from "../format.ts"
import { Status } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, None, Took } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.models
const { columns } = text

type Upstreams = ReadonlyArray<UpstreamRecord>

/** A value, and a line about it below. */
const Two = ({ about, children }: { readonly children: ComponentChildren; readonly about: ComponentChildren }) => (
  <>
    <div>{children}</div>
    <div class="faint below-value">{about}</div>
  </>
)

const Routes = ({ routes, upstreams }: { readonly upstreams: Upstreams } & Pick<ModelRecord, "routes">) => (
  <>
    {routes.map(({ model, upstream }, at) => {
      const isOpen = upstreams.some(({ circuit, name }) => name === upstream && circuit === "open")
      return (
        <div key={at} class="cut" title={`${upstream} ${model}`}>
          {routes.length > 1 && <Faint>{at + 1} </Faint>}
          {isOpen ? <Status tone="bad">{upstream}</Status> : upstream} <code class="faint">{model}</code>
        </div>
      )
    })}
  </>
)

/** The model, what it takes and, where they have no column, its routes. */
const Name = ({ model, upstreams }: { readonly model: ModelRecord; readonly upstreams: Upstreams }) => {
  const { capabilities, id, kind, routes } = model
  const { passes_through, takes } = capabilities
  const inputs = takes.map((one) => text.takes[one]).join(", ")
  return (
    <>
      <Two
        about={
          <span title={passes_through.length === 0 ? text.translated : text.passes(passes_through.join(", "))}>
            {kind === "text" ? inputs : [text.kinds[kind], inputs].filter((part) => part !== "").join(" · ")}
          </span>
        }
      >
        <b class="name">{id}</b>
      </Two>
      <div class="below-value only-mid">
        <Routes routes={routes} upstreams={upstreams} />
      </div>
    </>
  )
}

const Use = ({ id, use }: ModelRecord) => {
  if (use === null || use.requests === 0) return <Faint>{text.unused}</Faint>
  const share = (100 * use.errors) / use.requests
  const errors = text.failed(`${number(share, share < 10 ? 1 : 0)} %`)
  return (
    <Two about={use.errors === 0 ? text.noErrors : share > 5 ? <Status tone="bad">{errors}</Status> : errors}>
      <a href={hrefOf("requests", undefined, { q: `model:${id}` })}>{number(use.requests)}</a>
    </Two>
  )
}

const Cost = ({ use }: ModelRecord) => {
  if (use === null || (use.requests === 0 && use.cost_usd === 0)) return <None />
  const { cache_hit_rate: rate } = use
  return (
    <Two
      about={
        <>
          <div>{text.tokens(countText(use.input_tokens + use.output_tokens))}</div>
          {rate !== null && <div>{text.cached(number(100 * rate))}</div>}
        </>
      }
    >
      {costText(use.cost_usd)}
    </Two>
  )
}

const Latency = ({ use }: ModelRecord) => {
  if (use === null || use.duration_ms === null) return <None />
  const { duration_ms, first_byte_ms } = use
  return (
    <span title={first_byte_ms === null ? "" : text.firstByte(number(first_byte_ms.p50), number(first_byte_ms.p95))}>
      <Two about={<Took ms={duration_ms.p50} />}>
        <Took ms={duration_ms.p95} />
      </Two>
    </span>
  )
}

/** The price in words, with its cached input and its source below. */
const Price = ({ kind, price, price_source: { as_of, from, name } }: ModelRecord) => {
  const source = [text.sources[from], as_of].filter((one) => one !== null).join(" ")
  if (price === null) {
    return (
      <Two about={source}>
        <Status tone="warn">{text.unpriced}</Status>
      </Two>
    )
  }
  const parts =
    kind === "video" && price.per_second > 0
      ? [text.perSecond(usdText(price.per_second))]
      : [
          ...(price.input > 0 ? [text.priceIn(usdText(price.input))] : []),
          ...pricesByPiece(price).map(([usd, each, isMost]) => text.perPiece(usdText(usd), each, isMost)),
          ...(price.output > 0 ? [text.priceOut(usdText(price.output))] : [])
        ]
  const more = [
    ...(price.cached_input > 0 && price.cached_input !== price.input
      ? [text.priceCached(usdText(price.cached_input))]
      : []),
    ...(price.per_search > 0 ? [text.perSearch(usdText(price.per_search))] : [])
  ]
  return (
    <span title={name ?? ""}>
      <Two about={[...more, source].join(" · ")}>
        {parts.length === 0 ? <Faint>{costText(0)}</Faint> : parts.join(" · ")}
      </Two>
    </span>
  )
}

const Bounds = (model: ModelRecord) => {
  const bounds = boundsOf(model)
  return (
    <Two about={bounds.length === 0 ? text.noBound : bounds.map((bound) => <div key={bound}>{bound}</div>)}>
      {model.context_tokens === null ? (
        <Faint>{model.kind === "text" ? text.unknown : text.kinds[model.kind]}</Faint>
      ) : (
        text.context(number(model.context_tokens))
      )}
    </Two>
  )
}

const useColumns: ReadonlyArray<Column<ModelRecord>> = [
  { head: columns.requests, width: 96, look: "right wrap", cell: Use },
  { head: columns.cost, width: 104, look: "right wrap", cell: Cost },
  { head: columns.latency, width: 100, look: "right wrap no-slim", cell: Latency }
]

/** The columns of the served models. @param test undefined: without tests */
export const modelColumns = (
  upstreams: Upstreams,
  test: ((model: ModelRecord) => ComponentChildren) | undefined,
  seesUse: boolean
): ReadonlyArray<Column<ModelRecord>> => [
  { head: columns.model, look: "wrap whole", cell: (model) => <Name model={model} upstreams={upstreams} /> },
  {
    head: columns.routes,
    width: 238,
    look: "wrap whole no-mid",
    cell: ({ routes }) => <Routes routes={routes} upstreams={upstreams} />
  },
  ...(seesUse ? useColumns : []),
  { head: columns.price, width: 196, look: "wrap apart", cell: Price },
  { head: columns.bounds, width: 124, look: "wrap no-slim", cell: Bounds },
  ...(test === undefined ? [] : [{ head: columns.test, width: 118, look: "", cell: test }])
]
