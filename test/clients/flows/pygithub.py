"""A session of PyGithub with a server. Arguments: base URL, token, app id, file with the key of the app, installation id."""

import sys

import github

base_url, token, app_id, key_file, installation_id = sys.argv[1:]
hub = github.Github(login_or_token=token, base_url=base_url)

me = hub.get_user()
print("login", me.login)

repository = me.create_repo("pygithub-flow", description="Made by PyGithub", private=True, auto_init=True)
print("repository", repository.full_name, repository.private, repository.default_branch)

written = repository.create_file("docs/hello.txt", "Say hello", "hello\n", branch="main")
print("created", written["content"].path, written["commit"].sha[:0] == "")
contents = repository.get_contents("docs/hello.txt", ref="main")
print("content", contents.decoded_content.decode().strip())
repository.update_file(contents.path, "Say more", "hello again\n", contents.sha, branch="main")
print("readme", repository.get_readme().name)

head = repository.get_branch("main").commit.sha
repository.create_git_ref("refs/heads/feature", head)
tree = repository.create_git_tree(
    [github.InputGitTreeElement("one.txt", "100644", "blob", content="1\n")],
    base_tree=repository.get_git_tree(head),
)
commit = repository.create_git_commit("One", tree, [repository.get_git_commit(head)])
repository.get_git_ref("heads/feature").edit(commit.sha)
print("branches", sorted(branch.name for branch in repository.get_branches()))
comparison = repository.compare("main", "feature")
print("compared", comparison.ahead_by, [file.filename for file in comparison.files])
print("commits", [one.commit.message for one in repository.get_commits(sha="feature")][:2])
tag = repository.create_git_tag("v1", "First", commit.sha, "commit")
repository.create_git_ref("refs/tags/v1", tag.sha)
print("tags", [one.name for one in repository.get_tags()])

repository.replace_topics(["one", "two"])
print("topics", repository.get_topics())
me.add_to_starred(repository)
print("starred", me.has_in_starred(repository), [one.name for one in me.get_starred()])
hook = repository.create_hook("web", {"url": "https://hooks.example.org/", "content_type": "json"}, ["push"], active=True)
print("hooks", [one.events for one in repository.get_hooks()])
hook.delete()

found = hub.search_repositories("pygithub-flow user:" + me.login)
print("found", found.totalCount)
print("organizations", sorted(one.login for one in me.get_orgs()))
repository.get_git_ref("heads/feature").delete()
repository.delete()
try:
    hub.get_repo(repository.full_name)
except github.UnknownObjectException as error:
    print("gone", error.status)

with open(key_file, encoding="utf-8") as key:
    integration = github.GithubIntegration(int(app_id), key.read(), base_url=base_url)
access = integration.get_access_token(int(installation_id))
as_installation = github.Github(access.token, base_url=base_url)
print("installation", as_installation.get_repo("harbor-lab/compass").full_name)
