import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
const ask = (body: object) =>
  fetch(`${gateway.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

describe("sandbox-speech", () => {
  const speak = async (input: string, more: object = {}) =>
    Buffer.from(
      await (
        await client().audio.speech.create({ model: "sandbox-speech", voice: "alloy", input, ...more })
      ).arrayBuffer()
    )

  it("speaks a WAV with a tone for each word, the same for the same text", async () => {
    const [one, again, other] = [await speak("A fox"), await speak("A fox"), await speak("A hen")]
    expect(one.toString("latin1", 0, 4)).toBe("RIFF")
    expect([one.readUInt32LE(24), one.readUInt32LE(40)]).toEqual([24_000, one.length - 44])
    expect(one.length).toBe(44 + 2 * 9_600)
    expect(again.equals(one)).toBe(true)
    expect(other.equals(one)).toBe(false)
    expect((await speak("A fox", { response_format: "pcm", speed: 2 })).length).toBe(2 * 4_800)
  })

  it("tells that it has no MP3", async () => {
    const { headers } = await ask({ model: "sandbox-speech", input: "A", response_format: "mp3" })
    expect([headers.get("content-type"), headers.get("x-gateway-adapted")]).toEqual(["audio/wav", "response_format"])
  })

  it("streams events", async () => {
    const response = await ask({ model: "sandbox-speech", input: "A fox", stream_format: "sse" })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const frames = (await response.text()).split("\n\n").filter((one) => one !== "")
    const data = frames.map((one) => JSON.parse(one.replace("data: ", "")) as { readonly type: string })
    expect(data.map(({ type }) => type)).toEqual([...Array(3).fill("speech.audio.delta"), "speech.audio.done"])
    expect(data.at(-1)).toMatchObject({ usage: { output_tokens: 2 } })
  })

  it("obeys directives", async () => {
    expect((await ask({ model: "sandbox-speech", input: "[[sandbox: error=429]]" })).status).toBe(429)
    const cut = await ask({ model: "sandbox-speech", input: "[[sandbox: cut=2 pace=20ms]] A fox runs" })
    expect(cut.status).toBe(200)
    await expect(cut.arrayBuffer()).rejects.toThrow()
  })
})
