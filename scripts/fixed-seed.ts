/** Every property test tries the same cases in every run; `npm run fuzz` sets `TOOLWIRE_FUZZ_SEED` to try others. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['TOOLWIRE_FUZZ_SEED'] ?? 20_261_118) })
