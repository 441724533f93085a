/** A line plot as SVG, with its data readable in the picture: points are labelled, axes are named. */
export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly isXLogarithmic: boolean
  readonly lines: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<readonly [number, number]> }>
}

const width = 640
const height = 320
const margin = { left: 70, right: 20, top: 40, bottom: 50 }
const colours = ["#2563eb", "#d97706", "#059669", "#db2777"]

export const svg = (plot: Plot): string => {
  const points = plot.lines.flatMap((line) => line.points)
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b)
  const onX = (x: number) => (plot.isXLogarithmic ? Math.log10(Math.max(x, 1)) : x)
  const [least, most] = [onX(xs[0] ?? 0), onX(xs.at(-1) ?? 1)]
  const top = niceAbove(Math.max(...points.map(([, y]) => y), 1e-9))
  const px = (x: number) =>
    margin.left + ((onX(x) - least) / (most - least || 1)) * (width - margin.left - margin.right)
  const py = (y: number) => height - margin.bottom - (y / top) * (height - margin.top - margin.bottom)
  const text = (x: number, y: number, content: string, more = "") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="11" fill="#374151" ${more}>${content}</text>`
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = py(share * top)
    return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}" stroke="#e5e7eb"/>${text(margin.left - 6, y + 4, short(share * top), 'text-anchor="end"')}`
  })
  const ticks = xs.map((x) => text(px(x), height - margin.bottom + 16, short(x), 'text-anchor="middle"'))
  const lines = plot.lines.map((line, index) => {
    const colour = colours[index % colours.length] ?? "#000"
    const path = line.points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ")
    const dots = line.points.map(
      ([x, y]) => `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="3" fill="${colour}"/>`
    )
    const legend = `<rect x="${margin.left + index * 140}" y="${margin.top - 14}" width="10" height="10" fill="${colour}"/>${text(margin.left + index * 140 + 14, margin.top - 5, line.name)}`
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}${legend}`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(width / 2, 18, plot.title, 'text-anchor="middle" font-weight="600"'),
    ...grid,
    ...ticks,
    ...lines,
    text(width / 2, height - 12, plot.x, 'text-anchor="middle"'),
    text(16, height / 2, plot.y, `text-anchor="middle" transform="rotate(-90 16 ${height / 2})"`),
    "</svg>"
  ].join("\n")
}

const niceAbove = (value: number) => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const short = (value: number) => {
  if (value >= 1e6) return `${value / 1e6}M`
  if (value >= 1e3) return `${value / 1e3}k`
  return String(Number(value.toPrecision(3)))
}
