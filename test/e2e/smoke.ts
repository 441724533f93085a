import { pagesOfText } from "../guard/bodies/pdfs.ts"
import { hasConsole } from "./consolePage.ts"
import { renderClip } from "./renderClip.ts"

const data = Buffer.from(pagesOfText(["One", "Two"])).toString("base64")
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data } }

/**
 * Asks a gateway that was built for everything that a build can lose.
 * @param expect told what was asked, and whether it was answered
 */
export const smoke = async (
  url: string,
  key: string,
  expect: (what: string, holds: boolean) => void
): Promise<void> => {
  const ask = async (messages: unknown): Promise<string> => {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 100, messages })
    })
    return response.status === 200 ? response.text() : ""
  }
  expect("/v1/messages answers", (await ask("Hello!")).includes('"end_turn"'))
  const document = await ask([{ role: "user", content: [pdf] }])
  expect("a document is read in a process of its own", document.includes("a PDF of 2 pages"))
  const docs = await fetch(`${url}/docs/reference.js`)
  expect("/docs carries its own script", (await docs.text()).length > 1_000_000)
  expect("/console carries its page, scripts and styles", await hasConsole(url))
  const clip = await renderClip(url, key)
  expect("sandbox-video renders a clip on a thread of its own", clip.startsWith("\0\0\0") && clip.includes("ftyp"))
}
