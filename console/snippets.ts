import type { Snippet } from "./parts/CodeBlock.tsx"

/** A first request to paste. */
export const firstRequest = (origin: string): ReadonlyArray<Snippet> => [
  [
    "curl",
    `curl ${origin}/v1/messages \\\n  -H "Authorization: Bearer $GATEWAY_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"model":"sandbox-text","max_tokens":200,"messages":"Hello!"}'`
  ],
  [
    "Python",
    `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/v1", api_key=os.environ["GATEWAY_KEY"])\nresponse = client.responses.create(model="sandbox-text", input="Hello!")\nprint(response.output_text)`
  ],
  [
    "TypeScript",
    `import OpenAI from "openai"\n\nconst openai = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.GATEWAY_KEY })\nconst response = await openai.responses.create({ model: "sandbox-text", input: "Hello!" })\nconsole.log(response.output_text)`
  ]
]

/** A four-second clip, free. */
export const firstVideo = (origin: string): ReadonlyArray<Snippet> => [
  [
    "",
    `curl ${origin}/api/v3/contents/generations/tasks \\\n  -H "Authorization: Bearer $GATEWAY_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"model":"sandbox-video","resolution":"480p","duration":4,"content":[{"type":"text","text":"A cat"}]}'`
  ]
]

/** Code that uses a new secret. */
export const secretSnippets = (origin: string, secret: string): ReadonlyArray<Snippet> => [
  ["Shell", `export GATEWAY_KEY=${secret}`],
  ["Claude Code", `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_AUTH_TOKEN=${secret}`],
  ["Codex", `export OPENAI_BASE_URL=${origin}/v1\nexport OPENAI_API_KEY=${secret}`]
]
