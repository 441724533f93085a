import type { Snippet } from "../parts/CodeBlock.tsx"
import { pathOf } from "./draft.ts"
import type { Family } from "./draft.ts"

type Json = Readonly<Record<string, unknown>>

/** Long contents (files) are cut on screen and copied in full. */
const longest = 400

const cut = (value: unknown): unknown => {
  if (typeof value === "string" && value.length > longest) {
    return `${value.slice(0, 60)}… (${value.length} characters)`
  }
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== "object" || value === null) return value
  return cutIn({ ...value })
}
const cutIn = (body: Json): Json => Object.fromEntries(Object.entries(body).map(([name, value]) => [name, cut(value)]))

const json = (body: Json) => JSON.stringify(body, null, 2)

/** JSON in Python's syntax. */
const python = (value: unknown, indent: string): string => {
  if (value === null || value === undefined) return "None"
  if (value === true) return "True"
  if (value === false) return "False"
  if (typeof value === "string" || typeof value === "number") return JSON.stringify(value)
  const inner = `${indent}    `
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]"
    return `[\n${value.map((one) => inner + python(one, inner)).join(",\n")},\n${indent}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return "{}"
  return `{\n${entries.map(([name, one]) => `${inner}${JSON.stringify(name)}: ${python(one, inner)}`).join(",\n")},\n${indent}}`
}

/** Fields as keyword arguments. */
const named = (body: Json) =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${python(value, "    ")},`)
    .join("\n")

const object = (body: Json) => json(body).replaceAll(/^( *)"([a-z_]+)":/gm, "$1$2:")

/** The fields of a form, of which `file` is on disk. */
const formFields = (body: Json) =>
  Object.entries(body)
    .map(
      ([name, value]) => ` \\\n  -F '${name}=${name === "file" ? "@" : ""}${String(value).replaceAll("'", "'\\''")}'`
    )
    .join("")

const curlOf = (origin: string, family: Family, body: Json) =>
  family === "transcriptions"
    ? `curl ${origin}${pathOf(family)} \\\n  -H "Authorization: Bearer $GATEWAY_KEY"${formFields(body)}`
    : curl(origin, family, body)

const curl = (origin: string, family: Family, body: Json) =>
  `curl ${"stream" in body ? "-N " : ""}${origin}${pathOf(family)} \\\n  -H "Authorization: Bearer $GATEWAY_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${json(body).replaceAll("'", "'\\''")}'${family === "speech" ? " \\\n  -o speech.mp3" : ""}`

/** The last version of Anthropic's interface that takes sampling fields; the clients send a newer one by default. */
const sampling = "2023-06-01"

const pythonOf = (origin: string, family: Family, body: Json): string => {
  const { stream: _, stream_options: __, ...rest } = body
  const openai = `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/v1", api_key=os.environ["GATEWAY_KEY"])\n`
  switch (family) {
    case "messages": {
      // Newer versions of the client have no argument for it.
      const { temperature, ...others } = rest
      const asked = temperature === undefined ? rest : { ...others, extra_body: { temperature } }
      const version = temperature === undefined ? "" : `, default_headers={"anthropic-version": "${sampling}"}`
      return `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url="${origin}", auth_token=os.environ["GATEWAY_KEY"]${version})\nwith client.messages.stream(\n${named(asked)}\n) as stream:\n    for text in stream.text_stream:\n        print(text, end="", flush=True)`
    }
    case "responses":
      return `${openai}with client.responses.stream(\n${named(rest)}\n) as stream:\n    for event in stream:\n        if event.type == "response.output_text.delta":\n            print(event.delta, end="", flush=True)`
    case "chat":
      return `${openai}for chunk in client.chat.completions.create(\n${named(rest)}\n    stream=True,\n):\n    print(chunk.choices[0].delta.content or "", end="", flush=True)`
    case "embeddings":
      return `${openai}answer = client.embeddings.create(\n${named(rest)}\n)\nprint(len(answer.data[0].embedding))`
    case "images":
      return `${openai.replace("import os", "import base64, os")}answer = client.images.generate(\n${named(rest)}\n)\nopen("image.png", "wb").write(base64.b64decode(answer.data[0].b64_json))\nprint(len(answer.data))`
    case "transcriptions": {
      const { file, ...fields } = rest
      return `${openai}answer = client.audio.transcriptions.create(\n    file=open(${python(file, "")}, "rb"),\n${named(fields)}\n)\nprint(answer.text)`
    }
    case "speech":
      return `${openai}client.audio.speech.create(\n${named(rest)}\n).write_to_file("speech.mp3")\nprint("speech.mp3")`
    default:
      return `import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    "${origin}${pathOf(family)}",\n    data=json.dumps(${python(body, "    ")}).encode(),\n    headers={"Authorization": "Bearer " + os.environ["GATEWAY_KEY"], "Content-Type": "application/json"},\n)\nprint(urllib.request.urlopen(request).read().decode())`
  }
}

const typescriptOf = (origin: string, family: Family, body: Json): string => {
  const { stream: _, stream_options: __, ...rest } = body
  const openai = `import OpenAI from "openai"\n\nconst client = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.GATEWAY_KEY })\n`
  switch (family) {
    case "messages": {
      const version =
        rest["temperature"] === undefined ? "" : `, defaultHeaders: { "anthropic-version": "${sampling}" }`
      return `import Anthropic from "@anthropic-ai/sdk"\n\nconst client = new Anthropic({ baseURL: "${origin}", authToken: process.env.GATEWAY_KEY${version} })\nconst stream = client.messages.stream(${object(rest)})\nstream.on("text", (text) => process.stdout.write(text))\nawait stream.finalMessage()`
    }
    case "responses":
      return `${openai}const stream = await client.responses.create(${object({ ...rest, stream: true })})\nfor await (const event of stream) {\n  if (event.type === "response.output_text.delta") process.stdout.write(event.delta)\n}`
    case "chat":
      return `${openai}const stream = await client.chat.completions.create(${object({ ...rest, stream: true })})\nfor await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "")`
    case "embeddings":
      return `${openai}const answer = await client.embeddings.create(${object(rest)})\nconsole.log(answer.data[0]?.embedding.length)`
    case "images":
      return `import { writeFile } from "node:fs/promises"\n${openai}const answer = await client.images.generate(${object(rest)})\nawait writeFile("image.png", Buffer.from(answer.data?.[0]?.b64_json ?? "", "base64"))\nconsole.log(answer.data?.length)`
    case "transcriptions": {
      const { file, ...fields } = rest
      return `import { createReadStream } from "node:fs"\n${openai}const file = createReadStream(${JSON.stringify(file)})\nconst answer = await client.audio.transcriptions.create({ file, ...${object(fields)} })\nconsole.log(answer.text)`
    }
    case "speech":
      return `import { writeFile } from "node:fs/promises"\n${openai}const answer = await client.audio.speech.create(${object(rest)})\nawait writeFile("speech.mp3", Buffer.from(await answer.arrayBuffer()))\nconsole.log("speech.mp3")`
    default:
      return `const answer = await fetch("${origin}${pathOf(family)}", {\n  method: "POST",\n  headers: { authorization: \`Bearer \${process.env.GATEWAY_KEY}\`, "content-type": "application/json" },\n  body: JSON.stringify(${object(body)})\n})\nconsole.log(await answer.json())`
  }
}

/** The same request as code. */
export const snippetsOf = (origin: string, family: Family, body: Json): ReadonlyArray<Snippet> => {
  const shown = cutIn(body)
  return [
    ["curl", curlOf(origin, family, shown), curlOf(origin, family, body)],
    ["Python", pythonOf(origin, family, shown), pythonOf(origin, family, body)],
    ["TypeScript", typescriptOf(origin, family, shown), typescriptOf(origin, family, body)]
  ]
}
