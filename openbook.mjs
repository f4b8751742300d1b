const t0=performance.now()
const { onbook } = await import('./dist/book.js')
const t1=performance.now()
const book = await onbook({data: process.argv[2]})
const t2=performance.now()
for await (const r of book.runs.list()) ;
const t3=performance.now()
await book.close()
console.log(Math.round(process.uptime()*1000), Math.round(t1-t0),Math.round(t2-t1),Math.round(t3-t2), Math.round(performance.now()-t3))
