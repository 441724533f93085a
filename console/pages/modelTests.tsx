import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { ModelRecord, UpstreamRecord } from "../../src/admin/UpstreamRecord.ts"
import { pricesByPiece } from "../../src/contract/records/piecePrices.ts"
import { costText } from "../../src/contract/text/usdText.ts"
import { jsonBody } from "../calls.ts"
import { Refused } from "../client.ts"
import { durationText, number, permits } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { mayActAs } from "../keyText.ts"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Status } from "../parts/Status.tsx"
import { Faint } from "../parts/text.tsx"
import { PageLink } from "../parts/PageLink.tsx"
import { words } from "../words/words.ts"
import { families } from "../../src/contract/kinds.ts"
import type { Family, ModelKind } from "../../src/contract/kinds.ts"

const text = words.models

/** The smallest request to a model of each kind; undefined for those that the playground tests. */
const probes: Readonly<Record<ModelKind, { readonly family: Family; readonly body: object } | undefined>> = {
  text: { family: "messages", body: { max_tokens: 1, messages: [{ role: "user", content: "Hi" }] } },
  embedding: { family: "embeddings", body: { input: "a" } },
  rerank: { family: "rerank", body: { query: "a", documents: ["a"] } },
  moderation: { family: "moderations", body: { input: "a" } },
  image: { family: "images", body: { prompt: "a" } },
  speech: { family: "speech", body: { input: "a", voice: "alloy" } },
  // Its request is a file.
  transcription: undefined,
  video: undefined
}

const probeOf = ({ id, kind }: ModelRecord) => {
  const probe = probes[kind]
  return probe && { endpoint: families[probe.family].paths[0], body: { model: id, ...probe.body } }
}

/** True if a test is certainly free: a model without a price may cost money at its upstream. */
const isFree = ({ price }: ModelRecord): boolean =>
  price !== null &&
  price.input +
    price.output +
    price.cached_input +
    price.per_search +
    pricesByPiece(price).reduce((sum, [usd]) => sum + usd, 0) ===
    0

const Refusal = ({ error }: { readonly error: unknown }) => {
  const refused = error instanceof Refused ? error : undefined
  return (
    <span title={refused?.message ?? ""}>
      <Status tone="bad" code={refused?.status}>
        {refused?.code ?? text.noAnswer}
      </Status>
    </span>
  )
}

interface Asked {
  readonly title: string
  readonly about: ComponentChildren
  readonly run: () => void
}

/** Test requests to models and upstreams: buttons that become results, and a dialog before what may cost money. */
export const useModelTests = () => {
  const { catalogue, client, session, toast } = useApp()
  const results = useSignal<ReadonlyMap<string, ComponentChildren>>(new Map())
  const asked = useSignal<Asked | undefined>(undefined)
  const show = (name: string, result: ComponentChildren) => {
    results.value = new Map(results.value).set(name, result)
  }

  const keyFor = async ({ id }: ModelRecord) =>
    (await catalogue.keys()).find((key) => mayActAs(session, key) && permits(key, id))

  const run = async (model: ModelRecord, key: string) => {
    const probe = probeOf(model)
    if (probe === undefined) return
    const place = `model ${model.id}`
    show(place, <Status tone="running">{text.testing}</Status>)
    const began = performance.now()
    try {
      await client.send(probe.endpoint, {
        ...jsonBody(probe.body),
        headers: { "content-type": "application/json", "x-gateway-key-id": key }
      })
      show(place, <Status tone="well">{durationText(performance.now() - began)}</Status>)
    } catch (error) {
      show(place, <Refusal error={error} />)
    }
  }

  /** The maximum cost of a test, in words. */
  const mostOf = async (model: ModelRecord, key: string): Promise<string> => {
    if (model.price === null) return text.testUnpriced
    const payload = probeOf(model)
    const quote = payload && (await client.own((own) => own.account.quote({ payload }), key).catch(() => undefined))
    return quote === undefined ? text.testUnknown : text.testCosts(costText(quote.maximum.cost.nano_usd / 1e9))
  }

  /** Free models are tested at once; others ask first. */
  const ask = async (model: ModelRecord) => {
    const key = await keyFor(model)
    if (key === undefined) return toast(words.playground.noKey)
    if (isFree(model)) return run(model, key.id)
    asked.value = {
      title: text.testTitle(model.id),
      about: (
        <>
          <p>{await mostOf(model, key.id)}</p>
          <p class="faint">{`${text.testAs} ${key.account} / ${key.name}`}</p>
        </>
      ),
      run: () => void run(model, key.id)
    }
  }

  const each = async (list: ReadonlyArray<ModelRecord>) => {
    await Promise.all(
      list.map(async (model) => {
        const key = await keyFor(model)
        if (key !== undefined) await run(model, key.id)
      })
    )
  }

  /** All but videos, which take minutes. */
  const askAll = (models: ReadonlyArray<ModelRecord>) => {
    const tested = models.filter(({ kind }) => probes[kind] !== undefined)
    void each(tested.filter(isFree))
    const costly = tested.filter((model) => !isFree(model))
    if (costly.length === 0) return
    const unpriced = costly.filter(({ price }) => price === null).length
    const most = costly.reduce((sum, { price }) => sum + ((price?.output ?? 0) + 20 * (price?.input ?? 0)) / 1e6, 0)
    asked.value = {
      title: text.testAll,
      about: (
        <>
          <p>{text.testAllCosts(number(costly.length), costText(most))}</p>
          {unpriced > 0 && <p>{text.testSomeUnpriced(number(unpriced))}</p>}
        </>
      ),
      run: () => void each(costly)
    }
  }

  /** Free: lists the upstream's models. */
  const askUpstream = async (name: string) => {
    const place = `upstream ${name}`
    show(place, <Status tone="running">{words.upstreams.testing}</Status>)
    try {
      const test = await client.admin((admin) => admin.adminWatch.testUpstream({ path: { name } }))
      const took = durationText(test.ms)
      show(
        place,
        test.ok ? (
          <Status tone="well">
            {test.models === null ? took : words.upstreams.answered(number(test.models.length), took)}
          </Status>
        ) : (
          <span title={test.error ?? ""}>
            <Status tone="bad">{test.error ?? text.noAnswer}</Status>
          </span>
        )
      )
    } catch (error) {
      show(place, <Refusal error={error} />)
    }
  }

  return {
    askAll,
    /** The test of a model; videos link to the playground. */
    ofModel: (model: ModelRecord) =>
      probes[model.kind] === undefined ? (
        <PageLink page="playground" query={{ family: "videos", model: model.id }}>
          {words.pages.playground}
        </PageLink>
      ) : (
        (results.value.get(`model ${model.id}`) ?? (
          <Button
            look="small"
            needs="adminWatch.testUpstream"
            label={text.testTitle(model.id)}
            onClick={() => void ask(model)}
          >
            {text.test}
          </Button>
        ))
      ),
    /** The test of an upstream; the built-in one and those for videos have no list. */
    ofUpstream: ({ kind, name, protocol }: UpstreamRecord) =>
      kind === "video" ? (
        <Faint>{text.kinds.video}</Faint>
      ) : protocol === null ? (
        <Faint>{words.upstreams.builtIn}</Faint>
      ) : (
        (results.value.get(`upstream ${name}`) ?? (
          <Button
            look="small"
            needs="adminWatch.testUpstream"
            label={words.upstreams.testNow(name)}
            onClick={() => void askUpstream(name)}
          >
            {text.test}
          </Button>
        ))
      ),
    dialog: asked.value && (
      <Dialog
        title={asked.value.title}
        close={() => (asked.value = undefined)}
        act={{ word: text.testSend, run: async () => asked.peek()?.run() }}
      >
        {asked.value.about}
      </Dialog>
    )
  }
}
