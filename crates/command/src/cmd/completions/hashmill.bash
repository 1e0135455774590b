# Completions of hashmill for bash, made by 'hashmill completions bash'.

# Sets the options of a command, those that take a value, and the commands below it.
_hashmill_command() {
    options= valued= commands=
    case $1 in
@COMMANDS@
    esac
}

# Sets the values of an option of a command, or those of its operands; none are names of files. "list" takes several with commas.
_hashmill_values() {
    values= list=
    case "$1 $2" in
@VALUES@
    esac
}

# Offers these words where they go on with what is typed: the replaced part of the word is what readline takes for a word.
_hashmill_offer() {
    local word
    for word in $2; do
        if [[ $1$word == "$whole"* ]]; then
            word=$1$word
            COMPREPLY+=("${word#"$head"}")
        fi
    done
}

_hashmill() {
    local -a words=()
    local options valued commands values list
    local rest=${COMP_LINE:0:COMP_POINT} blank word whole head raw i command= option= plain=
    # bash takes words apart at = and :. What has no blank between is one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        word=${COMP_WORDS[i]}
        [[ $i == "$COMP_CWORD" ]] && word=$rest
        rest=${rest#"$word"}
        if [[ $i -gt 0 && -z $blank ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        raw=$word
    done
    whole=${words[${#words[@]}-1]}
    [[ $raw == [=:] ]] && raw=
    head=${whole%"$raw"}
    _hashmill_command ""
    for ((i = 1; i < ${#words[@]} - 1; i++)); do
        word=${words[i]}
        if [[ -n $option ]]; then
            option=
        elif [[ -n $plain ]]; then
            continue
        elif [[ $word == -- ]]; then
            plain=yes
        elif [[ " $valued " == *" $word "* ]]; then
            option=$word
        elif [[ $word != -* && " $commands " == *" $word "* ]]; then
            command="$command${command:+ }$word"
            _hashmill_command "$command"
        fi
    done
    COMPREPLY=()
    local before= value=$whole
    if [[ -z $option && -z $plain && $whole == --*=* ]]; then
        option=${whole%%=*} before=${whole%%=*}= value=${whole#*=}
    elif [[ -z $option && -z $plain && $whole == -[!-]?* && " $valued " == *" ${whole:0:2} "* ]]; then
        option=${whole:0:2} before=$option value=${whole:2}
    elif [[ -z $option && -z $plain && $whole == -* ]]; then
        _hashmill_offer "" "$options"
        return
    elif [[ -z $option && -n $commands ]]; then
        _hashmill_offer "" "$commands"
        return
    fi
    _hashmill_values "$command" "$option"
    [[ -n $list && $value == *,* ]] && before+=${value%,*},
    _hashmill_offer "$before" "$values"
    if [[ $option == --key || $option == --sign ]]; then
        _hashmill_offer "$before" "$(compgen -G "$HOME/.ssh/*.pub")"
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$raw")
    fi
    # Without an answer, bash completes the names of files itself.
}
complete -F _hashmill -o nosort -o bashdefault -o default hashmill 2>/dev/null ||
    complete -F _hashmill -o bashdefault -o default hashmill
