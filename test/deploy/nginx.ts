import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** The program; undefined if there is none here. */
export const nginx = ["/usr/sbin/nginx", "/usr/local/bin/nginx"].find((path) => existsSync(path))

const textOf = (path: string) => readFileSync(resolve(import.meta.dirname, "../..", path), "utf8")

/** `deploy/nginx.conf` */
export const shipped = textOf("deploy/nginx.conf")

/** The shipped file without TLS and below a path, as `docs/deployment.md` has it for `/gw`. */
export const belowPath = (path: string, gateway: string, port: number): string => {
  const page = textOf("docs/deployment.md")
  const [map = ""] = /^map \$request_uri .*$/m.exec(page) ?? []
  const [location = ""] = /^location \/gw\/ \{\n {2}proxy_pass .*$/m.exec(page) ?? []
  return shipped
    .replace("127.0.0.1:8080", new URL(gateway).host)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate.*\n/g, "\n")
    .replace("\nserver {", () => `\n${map.replace("/gw", path)}\nserver {`)
    .replace("location / {\n    proxy_pass http://gateway;", () => location.replace("/gw", path))
}

/** @param server what goes into its `http` */
export const startNginx = (folder: string, server: string) => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`)
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors; ${process.getuid?.() === 0 ? "user root;" : ""}
events {}
http { access_log off; ${temporary.join(" ")}
${server}
}`
  )
  return Bun.spawn([nginx ?? "", "-c", join(folder, "nginx.conf")], { stdout: "ignore", stderr: "inherit" })
}
