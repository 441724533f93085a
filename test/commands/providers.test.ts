import { tmpdir } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { runCommand } from "../e2e/command.ts"

const providers = (...words: ReadonlyArray<string>) => runCommand(tmpdir(), ["providers", ...words])

describe("gateway providers", () => {
  it("lists each with what it needs, within 80 columns", async () => {
    const { code, out } = await providers()
    expect(code).toBe(0)
    expect(out).toMatch(/^groq +api_key \(GROQ_API_KEY\) +openai-chat$/m)
    expect(out).toMatch(/^vertex +region, project, auth: google /m)
    expect(out).toMatch(/^vllm +nothing +openai-chat$/m)
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it("shows one with its addresses and an entry, and knows its other names", async () => {
    const { out } = await providers("dashscope")
    expect(out).toMatch(/^provider +qwen$/m)
    expect(out).toContain("https://dashscope-intl.aliyuncs.com/compatible-mode/v1")
    expect(out).toContain('qwen: { provider: qwen, api_key: "${DASHSCOPE_API_KEY}" }')
    expect(out).toMatch(/a stream that is left +runs on, and is billed in full/)
    expect((await providers("openai")).out).toMatch(/a stream that is left +stops/)
    const unknown = await providers("grok")
    expect(unknown.code).toBe(3)
    expect(unknown.err).toContain('no provider "grok"; is groq meant?')
  })
})
