# A session of octokit.rb with a server. Arguments: base URL, token.
require 'octokit'

base_url, token = ARGV
client = Octokit::Client.new(access_token: token, api_endpoint: base_url, auto_paginate: true)

puts "login #{client.user.login}"
repository = client.create_repository('octokit-flow', description: 'Made by octokit.rb', auto_init: true)
name = repository.full_name
puts "repository #{name} #{repository.default_branch}"
client.create_contents(name, 'docs/hello.txt', 'Say hello', "hello\n", branch: 'main')
file = client.contents(name, path: 'docs/hello.txt')
puts "content #{Base64.decode64(file.content).strip}"
client.update_contents(name, file.path, 'Say more', file.sha, "hello again\n", branch: 'main')
puts "readme #{client.readme(name).name}"

head = client.ref(name, 'heads/main').object.sha
client.create_ref(name, 'heads/feature', head)
tree = client.create_tree(name, [{ path: 'one.txt', mode: '100644', type: 'blob', content: "1\n" }], base_tree: head)
commit = client.create_commit(name, 'One', tree.sha, head)
client.update_ref(name, 'heads/feature', commit.sha, false)
puts "branches #{client.branches(name).map(&:name).sort.join(' ')}"
comparison = client.compare(name, 'main', 'feature')
puts "compared #{comparison.ahead_by} #{comparison.files.map(&:filename).join(' ')}"
puts "commits #{client.commits(name, 'feature').map { |one| one.commit.message }.first}"
client.create_ref(name, 'tags/v1', commit.sha)
puts "tags #{client.tags(name).map(&:name).join(' ')}"
client.replace_all_topics(name, %w[one two])
puts "topics #{client.topics(name).names.join(' ')}"
client.star(name)
puts "starred #{client.starred?(name)}"
hook = client.create_hook(name, 'web', { url: 'https://hooks.example.org/', content_type: 'json' }, events: ['push'])
puts "hooks #{client.hooks(name).map { |one| one.events.join(',') }.join(' ')}"
client.remove_hook(name, hook.id)
puts "organizations #{client.organizations.map(&:login).sort.join(' ')}"
puts "found #{client.search_repositories("octokit-flow user:#{client.user.login}").total_count}"
client.delete_ref(name, 'heads/feature')
client.delete_repository(name)
puts "gone #{client.repository?(name)}"
