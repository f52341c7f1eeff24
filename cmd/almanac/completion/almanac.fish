# Completion of almanac for fish. Load it with: almanac completion fish | source
function __almanac_complete
    set -l words (commandline -opc)
    $words[1] __complete $words[2..] (commandline -ct) 2>/dev/null
end
complete -c almanac -a '(__almanac_complete)'
