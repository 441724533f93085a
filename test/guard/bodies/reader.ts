/*
 * `bun test/guard/bodies/reader.ts <url> <key> <readers> [paused]`: readers of the sandbox's longest streams, as fast as
 * they can be read and over and over, or stopped after their first piece. In a process of their own, so that the
 * measuring process does not wait for them. Says `reading` once each has its first piece.
 */
const [url = "", key = "", readers = "10", paused] = process.argv.slice(2)

const text = "[[sandbox: tokens=100000]]"
const body = JSON.stringify({ model: "sandbox-text", stream: true, max_tokens: 32_000, messages: text, input: text })
let begun = 0

const read = async (path: string) => {
  for (let round = 0; ; round++) {
    const answer = await fetch(url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body })
    if (!answer.ok) throw new Error(await answer.text())
    const reader = answer.body?.getReader()
    for (let piece = 0; ; piece++) {
      const got = await reader?.read()
      if (got === undefined || got.done) break
      if (round === 0 && piece === 0 && ++begun === Number(readers)) console.log("reading")
      if (paused !== undefined) return
    }
  }
}
for (let n = 0; n < Number(readers); n++) void read(n % 2 === 0 ? "/v1/responses" : "/v1/messages")
// A client that stops reading stays connected.
setInterval(() => {}, 60_000)
