/** Two soft tones, made on the spot: nothing is loaded. Silent where the browser allows no sound yet. */

const TONES = [660, 880] as const
const TONE_S = 0.12

/** Never throws. */
export function playChime(): void {
  try {
    const context = new AudioContext()
    const volume = context.createGain()
    volume.gain.value = 0.08
    volume.connect(context.destination)
    for (const [i, frequency] of TONES.entries()) {
      const tone = context.createOscillator()
      tone.frequency.value = frequency
      tone.connect(volume)
      tone.start(context.currentTime + i * TONE_S)
      tone.stop(context.currentTime + (i + 1) * TONE_S)
      if (i === TONES.length - 1) tone.onended = () => void context.close()
    }
  } catch {}
}
