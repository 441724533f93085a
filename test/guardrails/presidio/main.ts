import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { install } from "../../agents/programs.ts"
import { makeFolder, runProgram } from "../../agents/run.ts"
import { order } from "../../agents/judged.ts"
import { startGateway } from "../../e2e/process.ts"
import { installPresidio, startFront, startPresidio } from "./hook.ts"

/*
 * Presidio of PyPI behind a guardrail, with Claude Code and the openai library's streams: the upstream, whose whole log is
 * searched, gets none of the words, and the client gets them back. Then the hook is killed, slow and lying. Needs npm,
 * python3 and the network for the installation, and nothing but this machine after it.
 *
 *   bun run test:long presidio
 */

const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`
const secret = newSecret()
const email = "ann.lee@example.com"
const card = "4111 1111 1111 1111"
const phone = "+1 212-555-0143"
const person = `Ann Lee, ${email}, card ${card}, call ${phone}`
const words = [email, card, phone, "ann.lee", "4111", "555-0143"]

let passed = 0
let failed = 0
const told = (what: string, wrong: ReadonlyArray<string | false | undefined>) => {
  const problems = wrong.filter((one) => one !== false && one !== undefined)
  if (problems.length === 0) passed++
  else failed++
  console.log(problems.length === 0 ? `ok      ${what}` : `not ok  ${what}\n        ${problems.join("\n        ")}`)
}
const unless = (holds: boolean, wrong: string): string | undefined => (holds ? undefined : wrong)

await install("claude")
await installPresidio()
const folder = mkdtempSync(join(tmpdir(), "gateway-presidio-"))
const log = join(folder, "upstream.log")
appendFileSync(log, "")
const upstream = Bun.spawn([process.execPath, join(import.meta.dirname, "upstream.ts"), log], {
  stdin: "ignore",
  stdout: "pipe",
  stderr: "inherit"
})
const { value: first } = await upstream.stdout.getReader().read()
const upstreamUrl = new TextDecoder().decode(first).trim()
const presidio = await startPresidio(secret)
const front = startFront(presidio.url)
const followed: Array<string> = []
const elsewhere = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    followed.push(request.url)
    return Response.json({ verdict: "allow" })
  }
})

const guardrail = { url: front.url, secret, mode: "redact", timeout_seconds: 30, hold_ms: 30_000 }
const short = { ...guardrail, timeout_seconds: 1, hold_ms: 2_000 }
const guardrails = {
  pii: guardrail,
  closed: short,
  open: { ...short, fail: "open" },
  forged: { ...short, secret: newSecret() }
}
writeFileSync(
  join(folder, "gateway.yaml"),
  JSON.stringify({
    guardrails,
    upstreams: {
      chat: { protocol: "openai-chat", base_url: `${upstreamUrl}/v1` },
      messages: { protocol: "anthropic-messages", base_url: upstreamUrl, api_key: "unused" }
    },
    models: Object.fromEntries([
      ...Object.keys(guardrails).map((name) => [name, { routes: [{ upstream: "chat" }], guardrails: [name] }]),
      ["claude-chat", { routes: [{ upstream: "chat" }], guardrails: ["pii"] }],
      ["claude-messages", { routes: [{ upstream: "messages" }], guardrails: ["pii"] }]
    ])
  })
)
const gateway = await startGateway({ folder })
const openai = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

/** The upstream's whole log, and what of the person's words it has. */
const upstreamLog = () => readFileSync(log, "utf8")
const leaked = (text = upstreamLog()) =>
  words.filter((word) => text.includes(word)).map((word) => `the upstream got ${JSON.stringify(word)}`)

const tools = [
  {
    type: "function",
    function: { name: "mail", parameters: { type: "object", properties: { to: { type: "string" } } } }
  }
] as const

/** What the library reads of a stream. */
const streamed = async (model: string, content: string) => {
  let text = ""
  let written = ""
  let error: string | undefined
  try {
    const messages = [{ role: "user", content } as const]
    const stream = await openai.chat.completions.create({ model, stream: true, messages, tools: [...tools] })
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? ""
      written += choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? ""
    }
  } catch (failure) {
    error = String(failure)
  }
  return { text, written, error }
}

try {
  for (let cut = 0; cut <= 26; cut++) {
    await fetch(`${upstreamUrl}/cut/${cut}`)
    const said = await streamed("pii", `Greet ${person}. Then go.`)
    const called = await streamed("pii", order("mail", { to: email, about: card }))
    told(`openai, a stream cut after ${cut}`, [
      unless(said.text.includes(person), `said ${said.text} ${said.error}`),
      unless(
        called.written === JSON.stringify({ to: email, about: card }),
        `called with ${called.written} ${called.error}`
      ),
      ...leaked()
    ])
  }
  await fetch(`${upstreamUrl}/cut/5`)

  for (const model of ["claude-chat", "claude-messages"]) {
    const home = makeFolder({ "work/person.txt": `${person}\n` })
    const claude = async (prompt: string, ...more: ReadonlyArray<string>) =>
      runProgram("claude", {
        folder: home,
        args: ["-p", prompt, "--model", model, "--allowedTools", "Bash,Read,Write", ...more],
        env: {
          ANTHROPIC_BASE_URL: gateway.url,
          ANTHROPIC_AUTH_TOKEN: gateway.key,
          ANTHROPIC_SMALL_FAST_MODEL: model,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
        }
      })
    try {
      const before = upstreamLog().length
      const read = await claude(order("Bash", { command: "cat person.txt", description: "reads" }))
      const wrote = await claude(
        order("Write", { file_path: join(home.work, "letter.txt"), content: `Dear ${email} of ${phone}` }),
        "--continue"
      )
      const third = await claude(`What is the card of ${email}?`, "--continue")
      const letter = join(home.work, "letter.txt")
      const log = upstreamLog().slice(before)
      told(`Claude Code at ${model}, three turns that read and write a person's data`, [
        unless(read.output.includes(person), `read ${read.output.slice(-300)}`),
        unless(existsSync(letter), `no letter: ${wrote.output.slice(-300)}`),
        existsSync(letter) &&
          unless(readFileSync(letter, "utf8") === `Dear ${email} of ${phone}`, `wrote ${readFileSync(letter, "utf8")}`),
        unless(third.output.includes(email), `said ${third.output.slice(-300)}`),
        unless(log.includes("<EMAIL_ADDRESS_") && log.includes("<CREDIT_CARD_"), "no placeholder came to the upstream"),
        ...leaked(log)
      ])
    } finally {
      home.dispose()
    }
  }

  await fetch(`${upstreamUrl}/cut/0`)
  const ask = `Greet ${person}. Then go.`
  const lies = {
    slow: async (pass: () => Promise<Response>) => {
      await Bun.sleep(3_000)
      return pass()
    },
    "no JSON": () => new Response("yes"),
    "an error": () => new Response(null, { status: 500 }),
    "no verdict": () => Response.json({ verdict: "perhaps" }),
    "fewer texts": () => Response.json({ verdict: "replace", texts: [] }),
    "more texts": (_: unknown, { texts }: { readonly texts: ReadonlyArray<unknown> }) =>
      Response.json({ verdict: "replace", texts: [...texts, ...texts].map(() => "x") }),
    "placeholders of one letter": (_: unknown, { texts }: { readonly texts: ReadonlyArray<unknown> }) =>
      Response.json({ verdict: "replace", texts: texts.map(() => "x"), placeholders: { e: "word" } }),
    "10 MB": () => new Response(`{"verdict":"allow","x":"${"x".repeat(10_000_000)}"}`),
    "a body that never ends": () =>
      new Response(new ReadableStream({ pull: (body) => Bun.sleep(50).then(() => body.enqueue(Buffer.from(" "))) })),
    "a redirect": () => Response.redirect(elsewhere.url.href, 307)
  }
  for (const [name, answers] of Object.entries(lies)) {
    for (const on of ["guardrail.input", "guardrail.output"] as const) {
      front.answers((pass, asked) => (asked.type === on ? answers(pass, asked) : pass()))
      const before = upstreamLog().length
      const closed = await streamed("closed", ask)
      const log = upstreamLog().slice(before)
      const open = await streamed("open", ask)
      told(`the hook that answers ${name} on ${on}`, [
        unless(closed.error !== undefined && closed.text === "", `closed: said ${closed.text} ${closed.error}`),
        unless((log === "") === (on === "guardrail.input"), "closed: the upstream was asked, or was not"),
        ...leaked(log),
        unless(open.error === undefined && open.text.includes("Ann Lee"), `open: said ${open.text} ${open.error}`)
      ])
    }
  }
  told(
    "no redirect is followed",
    followed.map((url) => `followed to ${url}`)
  )
  front.answers()

  const before = upstreamLog().length
  const forged = await streamed("forged", ask)
  told("a hook that expects another signature", [
    unless(forged.error?.includes("does not answer") === true, `said ${forged.text} ${forged.error}`),
    unless(upstreamLog().length === before, "the upstream was asked")
  ])

  // In the middle of a stream, after its first sentence.
  await fetch(`${upstreamUrl}/cut/9`)
  let calls = 0
  front.answers(async (pass, { type }) => {
    if (type === "guardrail.output" && ++calls === 2) await presidio.kill()
    return pass()
  })
  const cutOff = await streamed("closed", `Hello ${email}. Then ${card}. Then go. And end.`)
  told("the hook killed in the middle of a stream", [
    unless(cutOff.error !== undefined, `ended well: ${cutOff.text}`),
    unless(cutOff.text.includes(email) && !cutOff.text.includes("And end"), `said ${cutOff.text}`)
  ])
  await front.stop()
  const killed = upstreamLog().length
  const down = await streamed("closed", ask)
  const unasked = upstreamLog().length === killed
  const open = await streamed("open", ask)
  told("the hook down", [
    unless(down.error?.includes("does not answer") === true && down.text === "", `closed: ${down.text} ${down.error}`),
    unless(unasked, "closed: the upstream was asked"),
    unless(open.text.includes(person), `open: ${open.text} ${open.error}`)
  ])
  told("the gateway's own output has none of the words", leaked(gateway.output()))
  console.log(`${front.asked.length} calls of Presidio`)
} finally {
  await gateway.dispose()
  await presidio.kill()
  upstream.kill()
  await elsewhere.stop(true)
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
