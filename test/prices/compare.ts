import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { builtInList } from "../../src/catalogue/prices/builtInList.ts"
import { namesOf } from "../../src/catalogue/prices/names.ts"
import { priceOfVideo } from "../../src/ledger/Price.ts"

/*
 * Compares the built-in list with LiteLLM's published one (MIT; PyPI) for models of providers that both have:
 * `bun run test:long prices`. Prints what differs, and fails where a price is more than tenfold another: that is a mistake
 * of units in one of them.
 */

/** LiteLLM's name of a provider, and ours. */
const providers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  cohere: "cohere",
  dashscope: "dashscope",
  deepseek: "deepseek",
  gemini: "google",
  groq: "groq",
  minimax: "minimax",
  mistral: "mistral",
  moonshot: "moonshotai",
  openai: "openai",
  qwencloud: "dashscope",
  volcengine: "volcengine",
  voyage: "voyage",
  xai: "x-ai",
  zai: "zai"
}

const Usd = Schema.optional(Schema.NullOr(Schema.Number))
const Row = Schema.Struct({
  litellm_provider: Schema.optional(Schema.String),
  mode: Schema.optional(Schema.String),
  input_cost_per_token: Usd,
  output_cost_per_token: Usd,
  cache_read_input_token_cost: Usd,
  output_cost_per_second: Usd,
  output_cost_per_second_720p: Usd
})
const List = Schema.parseJson(Schema.Record({ key: Schema.String, value: Row }))

const folder = mkdtempSync(join(tmpdir(), "gateway-prices-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const run = (...command: ReadonlyArray<string>) => {
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: folder, stdout: "ignore", stderr: "pipe" })
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString().trim()}`)
}
run("python3", "-m", "pip", "download", "--no-deps", "--quiet", "litellm")
const file = "litellm/model_prices_and_context_window_backup.json"
run("python3", "-c", `import glob, zipfile; zipfile.ZipFile(glob.glob("*.whl")[0]).extract("${file}")`)
const theirs = Schema.decodeUnknownSync(List)(await Bun.file(join(folder, file)).text())

const list = await Effect.runPromise(builtInList)
const video = { resolution: "720p", hasVideoInput: false, inputImages: 0, hasSound: false, serviceTier: "default" }
const million = 1_000_000
const counts = { same: 0, differs: 0, onlyTheirs: 0 }
const tenfold: Array<string> = []

for (const [key, row] of Object.entries(theirs)) {
  const provider = providers[row.litellm_provider ?? ""]
  if (provider === undefined || !["chat", "responses", "embedding", "video_generation"].includes(row.mode ?? ""))
    continue
  const model = key.slice(key.indexOf("/") + 1)
  const found = [...namesOf(model)].map((name) => list.find(name, provider)).find((price) => price !== undefined)
  if (found === undefined) {
    counts.onlyTheirs++
    continue
  }
  const price = priceOfVideo(found, video)
  const pairs = [
    ["input", price.rates.input / 1e9, (row.input_cost_per_token ?? 0) * million],
    [
      "cached",
      price.rates.cacheRead / 1e9,
      (row.cache_read_input_token_cost ?? row.input_cost_per_token ?? 0) * million
    ],
    ["output", price.rates.output / 1e9, (row.output_cost_per_token ?? 0) * million],
    ["second", price.videoSecond / 1e9, row.output_cost_per_second_720p ?? row.output_cost_per_second ?? 0]
  ] as const
  // They price Ark's videos by the second, which is tokens at one size.
  const differing = pairs.filter(([, ours, other]) => other > 0 && ours > 0 && Math.abs(ours - other) > other * 0.005)
  counts[differing.length === 0 ? "same" : "differs"]++
  for (const [what, ours, other] of differing) {
    const line = `${provider}/${model} ${what}: ${ours} here, ${Number(other.toPrecision(6))} there`
    console.log(line)
    if (what !== "cached" && Math.max(ours / other, other / ours) > 10) tenfold.push(line)
  }
}
console.log(`${counts.same} the same, ${counts.differs} differ, ${counts.onlyTheirs} only there`)
if (tenfold.length > 0) {
  console.log(`more than tenfold:\n${tenfold.join("\n")}`)
  process.exitCode = 1
}
