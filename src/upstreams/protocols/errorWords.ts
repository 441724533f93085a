import { isObject, listAt, objectAt, parseJson, textAt } from "../../contract/json/json.ts"

/** The error object: under `error`, in Google's list, or the body itself (vLLM, xAI, Alibaba). */
export const errorIn = (body: unknown): unknown => {
  const one = first(body)
  return objectAt(one, "error") ?? (isObject(one) ? one : undefined)
}

/** The words of an error body; undefined if it has none. */
export const errorWords = (body: unknown): string | undefined => {
  if (typeof body === "string") return body === "" ? undefined : body
  const one = first(body)
  for (const read of readers) {
    const words = read(one)
    if (words !== undefined && words !== "") return words
  }
  return undefined
}

/** The words of an error body as text. A body that is not JSON is the words, unless it is a page. */
export const errorWordsIn = (text: string): string | undefined => {
  const body = parseJson(text)
  return body === undefined ? plainWords(text) : errorWords(body)
}

/** The field that an error is about, in the caller's spelling; undefined if none is named. */
export const errorField = (body: unknown): string | undefined => {
  const one = first(body)
  return textAt(objectAt(one, "error"), "param") ?? fieldOf(problemsIn(one)[0])
}

/** Google's OpenAI-style API wraps its errors in a list. */
const first = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body)

const plainWords = (text: string): string | undefined => {
  const words = text.trim()
  return words === "" || words.startsWith("<") || words.startsWith("{") || words.startsWith("[") ? undefined : words
}

/** The places of an error's words, by who writes them. The first that has any is read. */
const readers: ReadonlyArray<(body: unknown) => string | undefined> = [
  // OpenRouter: the words of the provider behind it, themselves often an error body. `message` only says that it failed.
  (body) => {
    const raw = textAt(objectAt(objectAt(body, "error"), "metadata"), "raw")
    return raw === undefined ? undefined : errorWordsIn(raw)
  },
  // OpenAI, Anthropic, Google, Groq, Azure, Moonshot, DeepSeek, Zhipu, LiteLLM.
  (body) => textAt(objectAt(body, "error"), "message"),
  // FastAPI and Mistral (which has it under `message`): a list of problems with their places.
  (body) => worded(problemsIn(body)),
  // FastAPI's own errors.
  (body) => textAt(body, "detail"),
  // Ollama, llama.cpp, Hugging Face; xAI, whose `code` is a sentence.
  (body) => textAt(body, "error"),
  // vLLM, Alibaba, Cohere, SiliconFlow, Bedrock (in capitals where it refuses access).
  (body) => textAt(body, "message") ?? textAt(body, "Message"),
  // Cloudflare: a list of errors, or of texts.
  (body) => {
    const [error] = listAt(body, "errors")
    return typeof error === "string" ? error : textAt(error, "message")
  }
]

/** `{"detail": [{"loc": ["body", "max_tokens"], "msg"}]}` */
const problemsIn = (body: unknown): ReadonlyArray<unknown> => {
  const problems = listAt(body, "detail")
  return problems.length > 0 ? problems : listAt(objectAt(body, "message"), "detail")
}

const mostProblems = 5

const worded = (problems: ReadonlyArray<unknown>): string =>
  problems
    .slice(0, mostProblems)
    .flatMap((problem) => {
      const words = textAt(problem, "msg")
      const field = fieldOf(problem)
      return words === undefined ? [] : field === undefined ? [words] : [`${field}: ${words}`]
    })
    .join("; ")

const fieldOf = (problem: unknown): string | undefined => {
  const path = listAt(problem, "loc").filter((step, index) => index > 0 || step !== "body")
  const field = path.reduce<string>((field, step) => {
    if (typeof step === "number") return `${field}[${step}]`
    return field === "" ? String(step) : `${field}.${String(step)}`
  }, "")
  return field === "" ? undefined : field
}
