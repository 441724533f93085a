/** True if a gateway serves the console's page and its assets, compressed and built for production. */
export const hasConsole = async (url: string): Promise<boolean> => {
  const page = await fetch(`${url}/console`)
  const html = await page.text()
  const assets = [...html.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)
  if (page.status !== 200 || !assets.some((path) => path.endsWith(".js"))) return false
  const answers = await Promise.all(
    assets.map((path) => fetch(`${url}${path}`, { headers: { "accept-encoding": "br" } }))
  )
  return answers.every(({ headers, status }) => status === 200 && headers.get("content-encoding") === "br")
}
