import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GoogleGenAI } from "@google/genai"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import { clientsOf } from "../upstreams/world.ts"

/** Google's two places, as the configuration and the SDK address them. */
export const places = ["gemini", "vertex"] as const
export type Place = (typeof places)[number]

const token = "ya29.token-0123456789"
const inProject = "/v1/projects/house/locations/global/publishers/google"

/** A gateway in front of the fake, which runs in a process of its own, and Google's SDK in front of the same. */
export const startGeminiWorld = async () => {
  const main = join(import.meta.dirname, "../../upstreams/fakes/geminiMain.ts")
  const fake = Bun.spawn([process.execPath, main], { stdout: "pipe", stderr: "inherit" })
  const { value } = await fake.stdout.getReader().read()
  const url = Buffer.from(value ?? [])
    .toString()
    .trim()
  const folder = mkdtempSync(join(tmpdir(), "gateway-gemini-"))
  const bearer = { authorization: `Bearer ${token}` }
  const upstreams = {
    gemini: { protocol: "gemini", base_url: `${url}/v1beta`, api_key: "google-key-0123456789" },
    vertex: { protocol: "gemini", base_url: `${url}${inProject}`, headers: bearer, list_models: true }
  }
  const models = Object.fromEntries(
    places.flatMap((place) => [
      [`flash-${place}`, { routes: [{ upstream: place, model: "gemini-3.8-flash" }] }],
      [`vectors-${place}`, { kind: "embedding", routes: [{ upstream: place, model: "gemini-embedding-001" }] }],
      [
        `newer-vectors-${place}`,
        { kind: "embedding", routes: [{ upstream: place, model: "gemini-embedding-2-preview" }] }
      ]
    ])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  const gateway = await startGateway({ folder })
  const asked = async (): Promise<ReadonlyArray<Asked>> => (await fetch(`${url}/asked`)).json()
  return {
    ...clientsOf(gateway),
    gateway,
    sdk: {
      gemini: new GoogleGenAI({ apiKey: "google-key-0123456789", httpOptions: { baseUrl: url, apiVersion: "v1beta" } }),
      vertex: new GoogleGenAI({
        vertexai: true,
        project: "house",
        location: "global",
        // The SDK asks for nothing but the headers of a call.
        googleAuthOptions: { authClient: { getRequestHeaders: async () => new Headers(bearer) } as never },
        httpOptions: { baseUrl: url, apiVersion: "v1" }
      })
    } satisfies Record<Place, GoogleGenAI>,
    /** Every request that the fake got. */
    asked,
    dispose: async () => {
      await gateway.dispose()
      fake.kill()
      await fake.exited
    }
  }
}

export type GeminiWorld = Awaited<ReturnType<typeof startGeminiWorld>>
