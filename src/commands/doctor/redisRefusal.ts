import { connect, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect } from "effect"

const patienceMs = 3_000
const longest = 1_024

/**
 * A Redis' answer to its user and password: Bun's client keeps the reason of a failed handshake to itself.
 * @returns the beginning of its answer, or the code of the connection's failure; it holds nothing of the address
 */
export const redisRefusal = (address: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    const url = URL.parse(address)
    if (url === null) return resume(Effect.succeed("no address"))
    const place = { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? 6379 : Number(url.port) }
    // An address has no place in TLS' name of the server.
    const named = isIP(place.host) === 0 && { servername: place.host }
    const socket = url.protocol === "rediss:" ? connectTls({ ...place, ...named }) : connect(place)
    let said = ""
    const end = (words: string) => {
      socket.destroy()
      resume(Effect.succeed(words))
    }
    socket.setTimeout(patienceMs, () => end(said))
    socket.once("error", (error) => end("code" in error ? String(error.code) : said))
    socket.once("close", () => end(said))
    socket.on("data", (bytes) => {
      said += bytes.toString("latin1")
      if (said.length > longest || said.split("\r\n").length > 3) end(said.slice(0, longest))
    })
    const [user, password] = [url.username, url.password].map((text) => decodeURIComponent(text))
    const auth = password === "" ? ["PING"] : ["AUTH", ...(user === "" ? [] : [user]), password]
    socket.write(`${command(auth)}${command(["PING"])}${command(["SET", "gateway:probe", "", "PX", "60000"])}`)
    return Effect.sync(() => socket.destroy())
  })

const command = (words: ReadonlyArray<string | undefined>): string =>
  [`*${words.length}`, ...words.flatMap((word = "") => [`$${Buffer.byteLength(word)}`, word]), ""].join("\r\n")
