import { Effect } from "effect"

/** What greets a client as Redis does, and answers everything else with one text; its `host:port`. */
export const fakeSentinel = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket, bytes) => {
            socket.write(/HELLO/.test(bytes.toString()) ? "%1\r\n$5\r\nproto\r\n:3\r\n" : text)
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  ).pipe(Effect.map(({ port }) => `127.0.0.1:${port}`))
