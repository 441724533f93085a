import type { ComponentChildren } from "preact"

export interface Column<Row> {
  readonly head: ComponentChildren
  /** In pixels; without it the column takes the remaining width. */
  readonly width?: number
  /** Classes of header and cells: `right`, `quiet`, `wrap`, `whole`, `no-phone`, `no-narrow`, `no-mid`. */
  readonly look?: string
  readonly cell: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  /** `stacks`: on a phone each row becomes a block of labelled values. */
  readonly look?: string
}

/** The head's text as the label of a cell that stands alone on a phone. */
const labelOf = (head: ComponentChildren): string | undefined => (typeof head === "string" ? head : undefined)

export const Heads = <Row,>({ columns }: { readonly columns: ReadonlyArray<Column<Row>> }) => (
  <thead>
    <tr>
      {columns.map(({ head, look = "", width }, index) => (
        <th key={index} scope="col" class={look} style={width === undefined ? {} : { width: `${width}px` }}>
          {head}
        </th>
      ))}
    </tr>
  </thead>
)

export const Cells = <Row,>({ columns, row }: { readonly columns: ReadonlyArray<Column<Row>>; readonly row: Row }) => (
  <>
    {columns.map(({ cell, head, look = "" }, index) => (
      <td key={index} class={look} data-head={labelOf(head)}>
        {cell(row)}
      </td>
    ))}
  </>
)

/** A table of all its rows; `Rows` is for long lists. */
export const Table = <Row,>({ columns, keyOf, label, look = "", rows }: TableProps<Row>) => (
  <table class={`table ${look}`} aria-label={label}>
    <Heads columns={columns} />
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          <Cells columns={columns} row={row} />
        </tr>
      ))}
    </tbody>
  </table>
)

/** A region that is scrolled sideways where its content is wider than the page. */
export const Sideways = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => (
  // A region that scrolls must be reached by keyboard.
  <div class="bleed sideways" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
)

type Head = readonly [text: ComponentChildren, look?: string, width?: number]

/** A small table of cells, for drawers. */
export const SmallTable = ({
  heads,
  isPlain = false,
  label,
  rows,
  sum
}: {
  readonly heads: ReadonlyArray<Head>
  readonly rows: ReadonlyArray<ReadonlyArray<ComponentChildren>>
  /** A last row, the sum of the others. */
  readonly sum?: ReadonlyArray<ComponentChildren>
  /** Without a head, for running text. */
  readonly isPlain?: boolean
  readonly label?: string
}) => (
  <table class={isPlain ? "table plain" : "table"} aria-label={label}>
    <colgroup>
      {heads.map(([, , width], index) => (
        <col key={index} style={width === undefined ? {} : { width: `${width}px` }} />
      ))}
    </colgroup>
    {!isPlain && (
      <thead>
        <tr>
          {heads.map(([text, look = ""], index) => (
            <th key={index} scope="col" class={look}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
    )}
    <tbody>
      {[...rows, ...(sum === undefined ? [] : [sum])].map((cells, index) => (
        <tr key={index} class={cells === sum ? "sum" : ""}>
          {cells.map((cell, at) => (
            <td key={at} class={heads[at]?.[1] ?? ""}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
