/** Command lines with what must be said of them. The workspace is /w, the home directory /home/me. */

/** Only look; may run without a question. */
export const READS: readonly string[] = `
ls
ls -la
ls -la src
ls /w/src
ls --color=never -R .
pwd
echo hello
echo "hello world" 'and more'
cat a.txt
cat a.txt b.txt
cat -n ./src/a.ts
head -n 5 a.txt
head -5 a.txt
tail -20 a.txt
tail -n +3 a.txt
wc -l a.txt
wc -l *.ts
wc -l src/*.ts
ls *
ls src/*.ts
grep -n foo src/*.ts
grep -n foo ./*.txt
rg foo src/*
rg -n 'foo' src
git diff -- *.txt
git log -- src/*
du -sh *
grep foo a.txt
grep -rn "foo bar" src
grep -E '^(a|b)' a.txt
grep "/api/users" src/a.ts
rg foo
rg -A 3 -B 2 'x{2}' .
find . -name '*.ts'
find . -type f -newer a.txt
find src -maxdepth 2 -print
find . -type f | head -3
tree -L 2
stat a.txt
file a.txt
du -sh .
df -h
sort a.txt
sort -u a.txt | uniq -c | sort -rn
uniq -c
cut -d: -f1 a.txt
cut -c1-3 a.txt
tr a-z A-Z
diff a.txt b.txt
diff -u a.txt b.txt
cmp a.txt b.txt
nl a.txt
tac a.txt
rev a.txt
fold -w 80 a.txt
od -c a.txt
md5sum a.txt
sha256sum a.txt b.txt
basename /x/y/z.txt
dirname /x/y/z.txt
realpath a.txt
readlink link
seq 1 10
true
false
sleep 1
date
date +%Y-%m-%d
date -u
whoami
id
uname -a
hostname
nproc
which node
type ls
command -v node
ps aux
ps -e
ps -ef | grep node
git status
git status --short
git log
git log --oneline -5
git log -p -- src/a.ts
git diff
git diff HEAD~1 -- a.txt
git diff --stat
git show HEAD
git show HEAD:a.txt
git branch
git branch -a
git branch --show-current
git tag
git remote
git remote -v
git rev-parse --abbrev-ref HEAD
git ls-files
git ls-files '*.ts'
git blame a.txt
git describe --tags
git shortlog -sn
git stash list
git --no-pager log -3
git --version
node --version
node -v
python3 --version
npm --version
go version
sed -n '1,10p' a.txt
sed -n 5p a.txt
cd src
cd src && ls
cd src; cat a.ts
ls; pwd; date
ls && pwd || date
ls | head
ls 2>/dev/null
ls > /dev/null
ls &> /dev/null
time ls
echo "a > b"
echo 'rm -rf /'
grep 'rm -rf' a.txt
cat "name with spaces.txt"
cat 'a;b.txt'
tail -f a.txt
`
  .trim()
  .split('\n')
  .map(line => (line.startsWith("cat <<'E'") ? "cat <<'E'\nhello $(rm x)\nE" : line))

/**
 * Change something, or might, or are not plain enough to be sure, or reach outside the workspace: the user has to
 * be asked.
 */
export const ASKS: readonly string[] = String.raw`
rm a.txt
rustc --version
cargo --version
diff -r src test
[[ -f a.txt ]] && echo yes
rm -rf /
rm -rf .
/bin/rm a.txt
\rm a.txt
'rm' a.txt
"rm" a.txt
r''m a.txt
$(echo rm) a.txt
$RM a.txt
mv a b
cp a b
ln -s a b
mkdir x
rmdir x
touch x
chmod +x a
chown me a
dd if=/dev/zero of=x
truncate -s 0 a
tee x
ls | tee x
echo a > b
echo a >> b
echo a >| b
ls &> out.txt
ls 2> err.txt
cat a > /etc/passwd
> a.txt
{ ls; } > out.txt
(ls) > out.txt
for f in a b; do echo $f; done > out.txt
while read l; do echo $l; done < a.txt > b.txt
ls; rm a
ls && rm a
ls || rm a
ls | rm a
ls & rm a
ls
rm a
echo $(rm a)
echo "$(rm a)"
echo ${'`'}rm a${'`'}
echo "${'`'}rm a${'`'}"
cat <(rm a)
ls >(rm a)
echo ${'$'}{x:-$(rm a)}
echo $((${'$'}(rm a)))
[[ -n $(rm a) ]]
[ -n "$(rm a)" ]
x=$(rm a)
if rm a; then ls; fi
if true; then rm a; fi
if false; then ls; elif true; then rm a; fi
while rm a; do ls; done
for f in $(rm a); do ls; done
for f in a; do rm $f; done
case $(rm a) in *) ls;; esac
case a in a) rm a;; esac
(rm a)
{ rm a; }
! rm a
time rm a
f() { rm a; }; f
function f { rm a; }; f
coproc rm a
cat <<E
cat <<< "$(rm a)"
sudo ls
sudo rm a
doas ls
su -c ls
exec ls
eval ls $x
eval "rm a"
env rm a
env -i rm a
env FOO=1 rm a
env -S "rm a"
env PATH=/evil ls
nohup rm a
nohup ls
setsid ls
timeout 5 rm a
nice rm a
xargs rm
ls | xargs rm
ls | xargs -n1 rm -f
ls | xargs sh -c 'rm $0'
find . -delete
find . -name x -exec rm {} \;
find . -exec rm {} +
find . -execdir rm {} +
find . -ok rm {} \;
find . -fprint out
find . -fprintf out %p
find . -fls out
find . -name x -exec sh -c 'rm $1' _ {} \;
fd -x rm
bash -c 'rm a'
sh -c "ls; rm a"
bash -c "$x"
bash -lc 'rm a'
bash script.sh
sh ./x
./x
./ls
/tmp/ls
/w/bin/ls
. ./env.sh
source env.sh
python3 -c 'print(1)'
python script.py
node -e '1'
node a.js
perl -e 1
ruby -e 1
npm install
npm test
npm run build
npm ci
npx tsc
yarn add x
pnpm i
pip install x
cargo build
cargo run
go build ./...
go run .
make
make test
docker run x
docker exec web ls
docker rm web
kubectl delete pod web
kubectl apply -f a.yaml
kubectl exec web -- ls
systemctl restart nginx
service nginx restart
apt-get install x
brew install x
curl https://example.com
curl -o x https://example.com
wget https://example.com
ssh host ls
scp a host:b
rsync -a a b
nc -l 1
ping example.com
kill 1
pkill node
killall node
reboot
shutdown now
mount /dev/x /y
crontab -e
git add .
git commit -m x
git push
git pull
git fetch
git checkout main
git switch main
git reset --hard
git rebase main
git merge x
git clean -fd
git stash
git stash pop
git stash drop
git branch new
git branch -D old
git branch -m a b
git branch --set-upstream-to=origin/main
git tag v1
git tag -d v1
git tag -a v1 -m x
git remote add o x
git remote remove o
git remote show origin
git ls-remote
git config user.name x
git config --global user.name x
git config --unset user.name
git config set user.name x
git worktree add ../x
git submodule update
git diff --output=x
git diff --outp=x
git log --output=x
git show --output x
git diff --ext-diff
git log --textconv
git grep -O foo
git grep --open-files-in-pager foo
git -c core.pager=x log
git -c alias.x='!rm a' x
git --exec-path=/evil log
git --git-dir=/evil/.git log
git -C /elsewhere log
git reflog expire --all
git notes add
git bisect start
git update-index --refresh
git gc
git init
git clone x
git archive -o x HEAD
git bundle create x HEAD
git filter-branch
git am x
git apply x
git restore a
git rm a
git mv a b
git revert HEAD
git cherry-pick x
git symbolic-ref HEAD refs/heads/x
sort -o x a
sort --output=x a
sort --outp=x a
sort -uo x a
sort --compress-program=x a
uniq a b
xxd a b
xxd -r a
tree -o x
sed -i s/a/b/ a
sed -i.bak s/a/b/ a
sed --in-place s/a/b/ a
sed -n 'w out' a
sed 's/a/b/w out' a
sed 's/a/b/e' a
sed '1e rm a' a
sed -f script a
sed 'r /etc/passwd' a
awk '{print > "out"}' a
awk '{print | "sh"}' a
awk 'BEGIN{system("rm a")}'
awk 'BEGIN{"rm a" | getline}'
awk -f script a
awk -i inplace '{print}' a
yq -i .a=1 a.yaml
tar xf a.tar
tar cf a.tar a
tar -tf a.tar --to-command=rm
tar --use-compress-program=rm -tf a
unzip a.zip
zip a.zip a
gzip a
gunzip a.gz
date -s 2020-01-01
date --set=2020-01-01
hostname evil
file -C
rg --pre rm x
rg --hostname-bin=rm x
diff --output=x a b
printf -v PATH x
PATH=/evil ls
LD_PRELOAD=/evil.so ls
GIT_PAGER=rm git log
BASH_ENV=/evil ls
IFS=x ls
PAGER=rm git log
PATH=/evil
export PATH=/evil
export X=1
declare -x A=1
alias ls=rm
unset PATH
set -e
trap 'rm a' EXIT
read x
cat /etc/passwd
cat ~/.ssh/id_rsa
cat ../x
cat ../../etc/passwd
cat src/../../x
ls /
ls ~
ls /etc
head -1 /etc/shadow
grep root /etc/passwd
grep -r x /
grep -f /etc/passwd a
grep --file=/etc/passwd a
find / -name x
find .. -name x
cd / && ls
cd .. && ls
cd ~
cd
cd $X && ls
cd src && cat ../../x
cat $X
cat "$X"
cat $(ls)
cat {a,b}
{rm,a}
find . $X
sort $X
git $X
git diff $X
ls < /etc/passwd
cat ~root/x
diff a /etc/passwd
wc -l /etc/passwd
cat "unterminated
ls )
if ls
echo 'x
for f in
ls &&
<(
vim a
nano a
less /etc/passwd
watch ls
strace ls
parallel rm
flock x ls
unknown-program
foo bar
chroot / ls
ssh-keygen
openssl x
base64 -d a
split a
csplit a
patch -p1
install a b
mkfifo x
mktemp
mysql -e 'drop x'
psql -c 'select 1'
sqlite3 x.db 'select 1'
redis-cli flushall
terraform apply
gh pr create
aws s3 ls
gcloud x
code .
open x
xdg-open x
osascript x
history -c
[ -v 'a[$(rm a)]' ]
for PATH in /evil; do ls; done
rg --files /etc
git diff --no-index /etc/passwd a
git diff --no-index ../x a
cat list | xargs cat
echo /etc/passwd | xargs cat
ls | xargs sort
test -v 'a[$(rm a)]'
echo $HOME
echo "$(git rev-parse HEAD)"
printf '%s\n' a b c
cat < a.txt
egrep x a.txt
fgrep -c x a.txt
rg -n --glob '*.ts' foo src
find . -name '*.ts' -exec grep -l foo {} +
find . -name '*.ts' -exec wc -l {} \;
find . -name '*.ts' | xargs grep foo
find . -print0 | xargs -0 wc -l
uniq a.txt
tr -d '\n' < a.txt
paste a.txt b.txt
join a.txt b.txt
comm -12 a.txt b.txt
xxd a.txt
xxd -l 16 a.txt
hexdump -C a.txt
strings a.bin
test -f a.txt
[ -f a.txt ]
[ -f a.txt ] && cat a.txt
test -d src || echo no
uptime
free -m
env
printenv PATH
git branch --list 'feat/*'
git branch --contains HEAD
git tag -l 'v*'
git remote get-url origin
git rev-list --count HEAD
git ls-tree HEAD
git stash show
git reflog
git reflog show main
git config --get user.name
git config --list
git config -l
git config --global --get user.email
git config get user.name
git grep foo
git grep -n 'foo bar' -- src
git worktree list
git submodule status
git cat-file -p HEAD
git for-each-ref
git merge-base main HEAD
git show-ref
git -C src status
git check-ignore a.txt
git count-objects -v
npm ls
npm ls --depth=0
npm list zod
cargo tree
docker ps
docker images
docker logs web
kubectl get pods
kubectl describe pod web
systemctl status nginx
jq . package.json
jq -r '.name' package.json
cat package.json | jq '.scripts | keys'
yq .a a.yaml
sed 's/a/b/g' a.txt
sed -E 's/(a+)/x\1/' a.txt
sed '/foo/d' a.txt
awk '{print $1}' a.txt
awk -F: '{print $1, $3}' a.txt
awk 'NR==2' a.txt
awk '$3 > 10 {print $1}' a.txt
awk '{s+=$1} END {print s}' a.txt
tar -tf a.tar
tar tzf a.tgz
unzip -l a.zip
gzip -l a.gz
(cd src && git log -1)
cd - && ls
ls 2>&1 | head
ls >/dev/null 2>&1
! ls
{ ls; pwd; }
(ls; pwd)
if [ -f a.txt ]; then cat a.txt; fi
for f in a.txt b.txt; do cat "$f"; done
for f in *.ts; do wc -l $f; done
while true; do date; break; done
case a in a) ls;; esac
x=1; echo $x
files=$(ls); echo "$files"
n=$(wc -l < a.txt) && echo $n
LANG=C sort a.txt
LC_ALL=C ls
NO_COLOR=1 ls
env LANG=C ls
timeout 5 ls
timeout -s KILL 5 ls
nice ls
nice -n 5 ls
bash -c 'ls'
sh -c "git status"
bash -c 'ls | head -3'
xargs echo
echo a b | xargs
diff <(ls a) <(ls b)
cat <(git log)
echo $((1 + 2))
echo a\;rm
ls # rm -rf /
wc -l < a.txt
lscpu
f() { ls; }; f_unused=1
pgrep node
ls ~/../../w/src
column -t a.txt
expr 1 + 1
numfmt --to=iec 1024
cat *.md | wc -w
`
  .trim()
  .split('\n')
  .map(line => (line === 'cat <<E' ? 'cat <<E\n$(rm a)\nE' : line))
  .filter(line => line !== 'ls')
