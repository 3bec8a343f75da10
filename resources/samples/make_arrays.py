#!/usr/bin/env python3
"""Makes the arrays of the text and rating samples in data/: make_arrays.py SHAKESPEARE.txt

The text is a collection of Shakespeare's plays with "SPEAKER:" lines (public domain; the file that is known as "tiny
Shakespeare"). Every number follows from the text and from fixed seeds, so a second run writes the same bytes.
"""
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

OUT = Path(__file__).parent / "data"
CHARACTER_WINDOW = 65  # 64 characters to read, and the one that follows each
CHARACTER_SAMPLES = 1500
WORD_WINDOW = 24
WORDS_KNOWN = 1500
PAD, UNKNOWN = 0, 1
# Who speaks tells the play.
PLAYS = {
    "Coriolanus": ["CORIOLANUS", "MENENIUS", "VOLUMNIA", "SICINIUS", "BRUTUS", "COMINIUS", "AUFIDIUS", "MARCIUS"],
    "Richard III": ["GLOUCESTER", "BUCKINGHAM", "QUEEN ELIZABETH", "KING RICHARD III", "QUEEN MARGARET", "HASTINGS"],
    "Romeo and Juliet": ["ROMEO", "JULIET", "MERCUTIO", "BENVOLIO", "FRIAR LAURENCE", "Nurse", "CAPULET"],
    "The Taming of the Shrew": ["PETRUCHIO", "KATHARINA", "TRANIO", "LUCENTIO", "HORTENSIO", "GRUMIO", "BAPTISTA"],
}


def characters(text):
    alphabet = sorted(set(text))
    number = {character: i for i, character in enumerate(alphabet)}
    ids = np.array([number[character] for character in text[:CHARACTER_WINDOW * CHARACTER_SAMPLES]], dtype=np.int32)
    np.save(OUT / "shakespeare-characters.npy", ids.reshape(CHARACTER_SAMPLES, CHARACTER_WINDOW))
    (OUT / "shakespeare-characters.txt").write_text("\n".join(repr(c) for c in alphabet) + "\n")


def speeches(text):
    play_of = {speaker: play for play, (_, speakers) in enumerate(PLAYS.items()) for speaker in speakers}
    for speech in text.split("\n\n"):
        speaker, _, said = speech.partition(":\n")
        if speaker in play_of:
            yield play_of[speaker], re.findall(r"[a-z']+", said.lower())


def plays(text):
    said = list(speeches(text))
    counts = Counter(word for _, words in said for word in words)
    known = ["<pad>", "<unknown>"] + [word for word, _ in sorted(counts.items(), key=lambda w: (-w[1], w[0]))[:WORDS_KNOWN - 2]]
    number = {word: i for i, word in enumerate(known)}
    tokens, labels = [], []
    for play, words in said:
        for start in range(0, len(words), WORD_WINDOW):
            window = words[start:start + WORD_WINDOW]
            if len(window) >= WORD_WINDOW // 3:
                ids = [number.get(word, UNKNOWN) for word in window]
                tokens.append(ids + [PAD] * (WORD_WINDOW - len(ids)))
                labels.append(play)
    tokens = np.array(tokens, dtype=np.int32)
    np.save(OUT / "plays-tokens.npy", tokens)
    np.save(OUT / "plays-mask.npy", (tokens != PAD).astype(np.uint8))
    np.save(OUT / "plays-label.npy", np.array(labels, dtype=np.int32))
    (OUT / "plays-words.txt").write_text("\n".join(known) + "\n")
    print(f"plays: {len(labels)} windows, per play {np.bincount(labels).tolist()}")


def ratings():
    """Ratings from 1 to 5 by people and things with hidden tastes: what matrix factorisation assumes."""
    random = np.random.default_rng(7)
    people, things, tastes, count = 300, 200, 4, 8000
    person = random.normal(size=(people, tastes))
    thing = random.normal(size=(things, tastes))
    kindness = random.normal(scale=0.4, size=people)
    quality = random.normal(scale=0.6, size=things)
    pairs = random.choice(people * things, size=count, replace=False)
    user, item = pairs // things, pairs % things
    score = 3.2 + kindness[user] + quality[item] + 0.45 * (person[user] * thing[item]).sum(1)
    rating = np.clip(np.round(score + random.normal(scale=0.2, size=count)), 1, 5)
    np.save(OUT / "ratings-user.npy", user.astype(np.int32))
    np.save(OUT / "ratings-item.npy", item.astype(np.int32))
    np.save(OUT / "ratings-target.npy", rating.astype(np.float32))


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_text()
    characters(source)
    plays(source)
    ratings()
