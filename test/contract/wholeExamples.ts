import { png } from "./messageExamples.ts"

const reranked = { model: "sandbox-rerank", query: "fox" }

const params = { model: "sandbox-text", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] }
const called = { jsonrpc: "2.0", id: 1, method: "tools/call" }

/** Bodies of the endpoints with one JSON answer, as in `examples.ts`. */
export const wholeExamples = {
  "messageBatches.create": [
    {
      requests: [
        { custom_id: "a", params },
        { custom_id: "b", params }
      ]
    },
    { requests: [{ custom_id: "a", params }] }
  ],
  "mcp.all": [
    { ...called, params: { name: "sandbox-tools__echo", arguments: { text: "a fox" } } },
    { jsonrpc: "2.0", id: "a", method: "tools/list" }
  ],
  "mcp.one": [
    { ...called, params: { name: "echo", arguments: { text: "a fox" } } },
    { jsonrpc: "2.0", id: "a", method: "tools/list" }
  ],
  "rerank.create": [
    { ...reranked, documents: ["a fox", { text: "a sea" }], top_n: 1, return_documents: true },
    { ...reranked, documents: ["a fox"] }
  ],
  "moderations.create": [
    { model: "sandbox-moderation", input: "a fox" },
    {
      model: "sandbox-moderation",
      input: ["a fox", { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }]
    }
  ],
  "audio.speech": [
    {
      model: "sandbox-speech",
      input: "A fox",
      voice: "alloy",
      instructions: "Slowly",
      response_format: "wav",
      speed: 1.5,
      stream_format: "sse"
    },
    { model: "sandbox-speech", input: "A fox", voice: { id: "voice_1" } }
  ],
  "images.create": [
    {
      model: "sandbox-image",
      prompt: "A fox",
      n: 2,
      size: "64x64",
      quality: "low",
      response_format: "b64_json",
      output_format: "png",
      background: "opaque",
      stream: true,
      partial_images: 1,
      user: "u1"
    },
    { model: "sandbox-image", prompt: "A fox", size: "64x64" }
  ],
  "images.edit": [
    {
      model: "sandbox-image",
      prompt: "A fox",
      images: [{ image_url: `data:image/png;base64,${png}` }],
      mask: { image_url: `data:image/png;base64,${png}` },
      n: 2,
      size: "64x64",
      quality: "low",
      response_format: "b64_json",
      output_format: "png",
      background: "opaque",
      input_fidelity: "high",
      stream: true,
      partial_images: 1,
      user: "u1"
    },
    {
      model: "sandbox-image",
      prompt: "A fox",
      size: "64x64",
      image: { image_url: "https://example.com/a.png", file_id: "" }
    },
    {
      model: "sandbox-image",
      prompt: "A fox",
      size: "64x64",
      image: [{ image_url: "https://example.com/a.png", file_id: "" }]
    }
  ],
  "embeddings.create": [
    { model: "sandbox-embed", input: ["Hello", "World"], dimensions: 64, encoding_format: "base64", user: "u1" },
    { model: "sandbox-embed", input: "Hello" },
    { model: "sandbox-embed", input: [[1, 2], [3]], messages: [] },
    { model: "sandbox-embed", input: [1, 2, 3] }
  ],
  "uploads.create": [
    {
      filename: "a.txt",
      purpose: "batch",
      bytes: 10,
      mime_type: "text/plain",
      expires_after: { anchor: "created_at", seconds: 3_600 }
    }
  ],
  "uploads.complete": [{ part_ids: ["part_1"], md5: "900150983cd24fb0d6963f7d28e17f72" }]
}
