import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { completeMention, handleOf, matchMention, mentionsIn, partsOf } from './mentions.ts'

const bia = { id: 'usr_1', email: 'bia@padaria.com.br', name: null }
const leo = { id: 'usr_2', email: 'leo@padaria.com.br', name: null }
const other = { id: 'usr_3', email: 'leo@loja.com.br', name: null }
const jose = { id: 'usr_4', email: 'josé.luiz@padaria.com.br', name: null }
const ana = { id: 'usr_5', email: 'ana@padaria.com.br', name: 'Ana' }
const anaLima = { id: 'usr_6', email: 'lima@padaria.com.br', name: 'Ana Lima' }

describe('a mention in a note', () => {
  it('a mention uses the name of the member, else the local part of the email, or the whole email if two members share it', () => {
    assert.equal(handleOf(leo, [bia, leo]), '@leo')
    assert.equal(handleOf(leo, [bia, leo, other]), '@leo@padaria.com.br')
    assert.equal(handleOf(anaLima, [ana, anaLima]), '@Ana Lima')
  })

  it('a mention is found anywhere in a text, even before a full stop, but not inside an email address', () => {
    const team = [bia, leo, jose]
    assert.deepEqual(mentionsIn('fale com @leo.', team), [leo])
    assert.deepEqual(mentionsIn('@josé.luiz e @bia, vejam', team), [bia, jose])
    assert.deepEqual(mentionsIn('@bianca e @leonardo', team), [])
    assert.deepEqual(mentionsIn('o cliente usa ana@leo.com', [leo]), [])
    assert.deepEqual(mentionsIn('@leo@loja.com.br vê isso', [leo, other]), [other])
    assert.deepEqual(mentionsIn('@Ana Lima, olhe', [ana, anaLima]), [anaLima])
    assert.deepEqual(mentionsIn('@Ana, olhe', [ana, anaLima]), [ana])
  })

  it('a mention is suggested and completed while its name is typed, regardless of accents', () => {
    const team = [bia, leo, jose]
    assert.deepEqual(matchMention('veja, @Jose', team), [jose])
    assert.deepEqual(matchMention('@', team), team)
    assert.deepEqual(matchMention('@bia ', team), [])
    assert.deepEqual(matchMention('@lim', [ana, anaLima]), [anaLima])
    assert.deepEqual(matchMention('ana@', team), [])
    assert.equal(completeMention('veja, @jo', '@josé.luiz'), 'veja, @josé.luiz ')
  })

  it('only the members whom a note mentions are highlighted in its text', () => {
    assert.deepEqual(partsOf('@bia e @leo.', [{ name: bia.email }, { name: null }]), [
      { text: '@bia', isMention: true },
      { text: ' e @leo.', isMention: false },
    ])
    assert.deepEqual(partsOf('veja, @Ana Lima.', [{ name: 'Ana Lima' }]), [
      { text: 'veja, ', isMention: false },
      { text: '@Ana Lima', isMention: true },
      { text: '.', isMention: false },
    ])
  })
})
